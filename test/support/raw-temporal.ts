import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { TestEngine } from './engine.js';

/** A plain payload, as anybody can write one. */
export const plain = (value: unknown): Payload => defaultPayloadConverter.toPayload(value) as Payload;

type Payloads = readonly Payload[];

/** What a workflow is started with beside its input. */
interface Beside {
  memo?: Record<string, Payload>;
  attributes?: Record<string, Payload>;
}

/**
 * Temporal as somebody sees it who reaches its port and has no key of ours:
 * payloads go out and come in as they are.
 */
export function rawTemporal({ temporal, taskQueue }: Pick<TestEngine, 'temporal' | 'taskQueue'>) {
  const { namespace } = temporal.options;
  const service = temporal.workflowService;
  const input = (payloads: Payloads) => ({ payloads: [...payloads] });

  async function history(workflowId: string, runId = '') {
    const execution = { workflowId, runId };
    const response = await service.getWorkflowExecutionHistory({ namespace, execution, maximumPageSize: 1_000 });
    return response.history?.events ?? [];
  }

  const execution = (workflowId: string) => ({ namespace, workflowExecution: { workflowId } });

  return {
    history,
    /**
     * Temporal's *Reset*, as anybody can ask for it; answers the new run.
     *
     * @param to a task that has ended: the first, the last, or the last before there was any event of this kind
     * @param without signals that came later are left out
     */
    async reset(workflowId: string, to: 'first' | 'last' | ((event: Event) => unknown), without = false): Promise<string> {
      const all = await history(workflowId);
      const before = typeof to === 'function' ? all.slice(0, all.findIndex(to)) : all;
      const tasks = before.filter((event) => event.workflowTaskCompletedEventAttributes);
      const { runId } = await service.resetWorkflowExecution({
        ...execution(workflowId),
        reason: 'from outside',
        workflowTaskFinishEventId: (to === 'first' ? tasks[0] : tasks.at(-1))?.eventId,
        requestId: randomUUID(),
        // SIGNAL and UPDATE of Temporal's API.
        ...(without && { resetReapplyExcludeTypes: [1, 2] }),
      });
      return runId ?? '';
    },
    pause: (workflowId: string) =>
      service.pauseWorkflowExecution({
        namespace,
        workflowId,
        reason: 'from outside',
        identity: 'stranger',
        requestId: randomUUID(),
      }),
    remove: (workflowId: string) => service.deleteWorkflowExecution(execution(workflowId)),
    /** Starts a workflow, also under an id that was used before. */
    async start(workflowType: string, workflowId: string, payloads: Payloads, more: Beside = {}): Promise<string> {
      const { runId } = await service.startWorkflowExecution({
        namespace,
        workflowId,
        workflowType: { name: workflowType },
        taskQueue: { name: taskQueue },
        input: input(payloads),
        ...(more.memo && { memo: { fields: more.memo } }),
        ...(more.attributes && { searchAttributes: { indexedFields: more.attributes } }),
        requestId: randomUUID(),
        // ALLOW_DUPLICATE of Temporal's API.
        workflowIdReusePolicy: 1,
      });
      return runId ?? '';
    },
    signal: (workflowId: string, signalName: string, payloads: Payloads) =>
      service.signalWorkflowExecution({
        namespace,
        workflowExecution: { workflowId },
        signalName,
        input: input(payloads),
        requestId: randomUUID(),
      }),
    /** @returns what it was answered; undefined where it was accepted */
    async update(
      workflowId: string,
      name: string,
      payloads: Payloads,
      updateId: string = randomUUID(),
    ): Promise<string | undefined> {
      const { outcome } = await service.updateWorkflowExecution({
        namespace,
        workflowExecution: { workflowId },
        // COMPLETED of Temporal's API.
        waitPolicy: { lifecycleStage: 3 },
        request: { meta: { updateId, identity: 'stranger' }, input: { name, args: input(payloads) } },
      });
      const failure = outcome?.failure;
      return failure ? (failure.applicationFailureInfo?.type ?? failure.message ?? 'failed') : undefined;
    },
    /** @returns the error; undefined where it was answered */
    query: (workflowId: string, queryType: string, payloads: Payloads): Promise<string | undefined> =>
      service
        .queryWorkflow({ namespace, execution: { workflowId }, query: { queryType, queryArgs: input(payloads) } })
        .then(() => undefined)
        .catch((error: Error) => error.message),
    /** @returns the encoding of the answer; undefined where there is none */
    answer: (workflowId: string, queryType: string, payloads: Payloads): Promise<string | undefined> =>
      service
        .queryWorkflow({ namespace, execution: { workflowId }, query: { queryType, queryArgs: input(payloads) } })
        .then(({ queryResult }) => Buffer.from(queryResult?.payloads?.[0]?.metadata?.encoding ?? []).toString())
        .catch(() => undefined),
    /** The payloads that a workflow was started with. */
    async startedWith(workflowId: string): Promise<Payload[]> {
      const [first] = await history(workflowId);
      return (first?.workflowExecutionStartedEventAttributes?.input?.payloads ?? []) as Payload[];
    },
    /** The payloads of the signals and accepted updates that a workflow got. */
    received: async (workflowId: string): Promise<Received[]> => receivedIn(await history(workflowId)),
  };
}

type Answer = Awaited<ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>>;
type Events = NonNullable<NonNullable<Answer['history']>['events']>;
type Event = Events[number];

/** The payloads of the signals and accepted updates in a history. */
export function receivedIn(events: Events): Received[] {
  const found: Received[] = [];
  for (const event of events) {
    const signal = event.workflowExecutionSignaledEventAttributes;
    if (signal) found.push({ kind: 'signal', name: signal.signalName ?? '', payloads: payloadsOf(signal.input?.payloads), id: '' });
    const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest;
    if (!update) continue;
    const { name, args } = update.input ?? {};
    found.push({ kind: 'update', name: name ?? '', payloads: payloadsOf(args?.payloads), id: update.meta?.updateId ?? '' });
  }
  return found;
}

/** A message as it lies in a history. */
export interface Received {
  kind: 'signal' | 'update';
  name: string;
  payloads: Payload[];
  /** Of an update. */
  id: string;
}

const payloadsOf = (payloads: Payload[] | null | undefined): Payload[] => payloads ?? [];
