import { randomUUID } from 'node:crypto';
import { Client, type ClientOptions, type ConnectionLike, type WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type PayloadCodec, RawValue } from '@temporalio/common';
import { SMALLER } from '../../core/definition/weight.js';
import { GOOD_FOR_MS, type MessageKind, parseRefusal, REFUSALS, type SealedMessage } from '../../core/encoding/sealed-message.js';
import { unkept } from '../../core/encoding/unkept.js';
import { versionMemo } from '../../core/engine/workflows-version.js';
import { inputError } from '../../core/errors.js';
import { repeatLateQueries } from './repeat-late-queries.js';
import { isMute, repeatUnready } from './repeat-unready.js';

/** Creates the message that is sealed instead of arguments. All messages except signals are valid for ten minutes. */
export function messageFor(kind: MessageKind, name: string, args: readonly unknown[], id: string = randomUUID()): SealedMessage {
  const at = Date.now();
  return { kind, name, id, at, ...(kind === 'signal' ? {} : { until: at + GOOD_FOR_MS }), args: [...args] };
}

type SealedOptions = Omit<ClientOptions, 'connection' | 'dataConverter' | 'interceptors'> & {
  connection: ConnectionLike;
  codec: PayloadCodec;
};

/**
 * Creates a Temporal client that sends every start, signal, update and query as one sealed message. Workflows accept
 * only such messages (workflows/messages/sealing.ts). The workflows that it starts have the version of the workflow
 * code.
 *
 * @param before interceptors that come first
 */
export function createSealedClient({ codec, ...options }: SealedOptions, ...before: WorkflowClientInterceptor[]): Client {
  const repeating = [repeatUnready((workflow) => isMute(client, workflow)), repeatLateQueries(options.connection)];
  const client = new Client({
    ...options,
    dataConverter: { payloadCodecs: [codec] },
    interceptors: { workflow: [...before, ...repeating, sealing] },
  });
  return client;
}

type StartOptions = { args?: readonly unknown[] | unknown[]; memo?: Record<string, unknown> };

const start = <T extends StartOptions>(workflowType: string, options: T): T => ({
  ...options,
  memo: { ...versionMemo, ...options.memo },
  args: [messageFor('start', workflowType, options.args ?? [])],
});

const sealing: WorkflowClientInterceptor = {
  // Without the key, the existence and the state of a workflow are still visible. Its memo is not needed here.
  async describe(input, next) {
    const description = await next(input);
    if (description.workflowExecutionInfo) description.workflowExecutionInfo.memo = null;
    return description;
  },
  startWithDetails: (input, next) => next({ ...input, options: start(input.workflowType, input.options) }),
  signal: (input, next) => next({ ...input, args: [messageFor('signal', input.signalName, input.args)] }),
  signalWithStart: (input, next) =>
    next({
      ...input,
      signalArgs: [messageFor('signal', input.signalName, input.signalArgs)],
      options: start(input.workflowType, input.options),
    }),
  // Queries and their answers are in no history: neither side stores them.
  async query(input, next) {
    const message = { ...messageFor('query', input.queryType, input.args), inline: true } satisfies SealedMessage;
    const answer = await next({ ...input, args: [RawValue.fromPayload(unkept(defaultPayloadConverter.toPayload(message)))] });
    if (parseRefusal(answer) !== 'too-large') return answer;
    const on = input.workflowExecution.workflowId ?? '';
    throw inputError({
      code: 'too-large',
      what: `read the answer "${input.queryType}"`,
      on,
      why: REFUSALS['too-large'],
      hint: SMALLER,
    });
  },
  // The message contains the id of the update too, so a recorded message is refused under another id.
  startUpdate(input, next) {
    const updateId = input.options.updateId ?? randomUUID();
    const args = [messageFor('update', input.updateName, input.args, updateId)];
    return next({ ...input, args, options: { ...input.options, updateId } });
  },
  startUpdateWithStart(input, next) {
    const updateId = input.updateOptions.updateId ?? randomUUID();
    return next({
      ...input,
      updateArgs: [messageFor('update', input.updateName, input.updateArgs, updateId)],
      updateOptions: { ...input.updateOptions, updateId },
      workflowStartOptions: start(input.workflowType, input.workflowStartOptions),
    });
  },
};
