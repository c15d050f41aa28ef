import { defaultPayloadConverter, RawValue } from '@temporalio/common';
import {
  type ActivityOptions,
  ApplicationFailure,
  log,
  type WorkflowInterceptors,
  type WorkflowOutboundCallsInterceptor,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type ExpectedMessage,
  GOOD_FOR_MS,
  isGood,
  openMessage,
  REFUSAL_TYPE,
  REFUSALS,
  type Refusal,
  type SealedMessage,
} from '../../core/encoding/sealed-message.js';
import { unkept } from '../../core/encoding/unkept.js';
import { versionMemo } from '../../core/engine/workflows-version.js';
import type {} from '../fence.js';
import { oneLocalActivity } from '../one-local-activity.js';
import type {} from '../patience.js';
import { SeenMessages } from './seen-messages.js';

/** So many refused messages of a run are logged; an attacker can send thousands. */
const LOGGED = 5;

/** A message from this workflow. The run and a number are a unique id, which is the same in a replay. */
type MessageFor = (kind: SealedMessage['kind'], name: string, args: unknown[], more?: Partial<SealedMessage>) => SealedMessage;

/** An activity that is asked for, as far as it is looked at here. */
interface ActivityAsked {
  activityType: string;
  args: unknown[];
  options: Pick<ActivityOptions, 'patienceMs' | 'under' | 'changes'>;
}

/**
 * Interceptors of every workflow. From Temporal a workflow accepts only messages that this set-up sealed for this
 * workflow, kind and name, and each only once. Other signals are dropped, updates and queries refused, and starts
 * ended before any work.
 *
 * The codec has already checked that a payload was sealed for this workflow (encryption/payload-codec.ts).
 */
export const interceptors = (): WorkflowInterceptors => {
  let seen = new SeenMessages();
  let start = '';
  let sealed = 0;
  let refused = 0;

  const messageFor: MessageFor = (kind, name, args, more = {}) =>
    ({ kind, name, id: `${workflowInfo().runId}/${++sealed}`, at: Date.now(), ...more, args }) satisfies SealedMessage;

  /** Asks an activity, and takes the result that it gave in this run, or in one of which this is a *Reset*. */
  async function asked(
    { activityType: name, args, options: { patienceMs, under, changes } }: ActivityAsked,
    schedule: (args: unknown[]) => Promise<unknown>,
  ): Promise<unknown> {
    const { runId: run, originalExecutionRunId: resetOf, workflowType } = workflowInfo();
    const isReset = resetOf !== run;
    // An answer from before a reset has the former run. A former state of an entity is not continued.
    const expected = { kind: 'result', name, ...(!(isReset && workflowType !== 'infra') && { run }) } as const;
    const more = {
      ...{ run, start },
      ...(patienceMs !== undefined && { patienceMs }),
      ...(under && { under: under() }),
      ...(changes && { changes }),
      ...(isReset && { resetOf }),
    };
    const message = openMessage([await schedule([messageFor('activity', name, args, more)])], expected);
    if (typeof message === 'string') throw refusal(expected, message);
    return message.args[0];
  }

  return {
    inbound: [
      {
        async execute(input, next) {
          const { workflowType, startTime } = workflowInfo();
          const message = openMessage(input.args, { kind: 'start', name: workflowType });
          // Fails the task, not the workflow: it is tried again, and goes on once the key is there.
          if (message === 'unknown-key') throw new Error(`cannot start: ${REFUSALS[message]}`);
          if (typeof message === 'string') throw refusal({ kind: 'start', name: workflowType }, message);
          if (!isGood(message, startTime.getTime())) throw refusal({ kind: 'start', name: workflowType }, 'expired');
          start = message.id;
          seen = new SeenMessages(message.seen);
          return next({ ...input, args: message.args });
        },

        async handleSignal(input, next) {
          const message = openMessage(input.args, { kind: 'signal', name: input.signalName });
          const why = typeof message === 'string' ? message : seen.take(message, Date.now());
          if (typeof message !== 'string' && !why) return next({ ...input, args: message.args });
          if (why !== 'repeated' && ++refused <= LOGGED) log.warn(`the signal ${input.signalName} was refused: ${why}`);
        },

        validateUpdate(input, next) {
          const message = taken(input.args, { kind: 'update', name: input.name, id: input.updateId });
          // A message that already had an effect is not requested any more, and would be refused as another sender's.
          if (!seen.has(message.id)) next({ ...input, args: message.args });
        },

        async handleUpdate(input, next) {
          const message = taken(input.args, { kind: 'update', name: input.name, id: input.updateId });
          const why = seen.take(message, Date.now());
          if (why === 'too-old') throw refusal({ kind: 'update', name: input.name }, why);
          // Taken by a former run of this workflow: it has done what it asks for.
          if (why === 'repeated') return undefined;
          return next({ ...input, args: message.args });
        },

        // A query has the time of the workflow's last turn, so its age is unknown. It changes nothing.
        async handleQuery(input, next) {
          const expected = { kind: 'query', name: input.queryName } as const;
          const message = openMessage(input.args, expected);
          if (typeof message === 'string') throw refusal(expected, message);
          const answer = await next({ ...input, args: message.args });
          return message.inline ? RawValue.fromPayload(unkept(defaultPayloadConverter.toPayload(answer))) : answer;
        },
      },
    ],
    outbound: [oneLocalActivity(), outboundOf(messageFor, asked, () => seen)],
  };
};

const refusal = ({ kind, name }: ExpectedMessage, why: Refusal) =>
  ApplicationFailure.nonRetryable(`the ${kind} of "${name}" was refused: ${REFUSALS[why]}`, REFUSAL_TYPE);

/** The message as which it came, if it may be taken. */
function taken(args: unknown[], expected: ExpectedMessage): SealedMessage {
  const message = openMessage(args, expected);
  if (typeof message === 'string') throw refusal(expected, message);
  if (!isGood(message, Date.now())) throw refusal(expected, 'expired');
  return message;
}

/** All that leaves a workflow leaves it as a message. */
const outboundOf = (
  messageFor: MessageFor,
  asked: (input: ActivityAsked, schedule: (args: unknown[]) => Promise<unknown>) => Promise<unknown>,
  seen: () => SeenMessages,
): WorkflowOutboundCallsInterceptor => ({
  scheduleActivity: (input, next) => asked(input, (args) => next({ ...input, args })),
  scheduleLocalActivity: (input, next) => asked(input, (args) => next({ ...input, args })),
  signalWorkflow: (input, next) => next({ ...input, args: [messageFor('signal', input.signalName, input.args)] }),
  continueAsNew(input, next) {
    const name = input.options.workflowType ?? workflowInfo().workflowType;
    const more = { until: Date.now() + GOOD_FOR_MS, seen: seen().state() };
    // The next run has nothing of the former code in its history.
    const options = { ...input.options, memo: { ...workflowInfo().memo, ...versionMemo } };
    return next({ ...input, options, args: [messageFor('start', name, input.args, more)] });
  },
});
