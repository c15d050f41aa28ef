import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { TestEngine } from './engine.js';

/** Returns an unsealed payload, which needs no key. */
export const plain = (value: unknown): Payload => defaultPayloadConverter.toPayload(value) as Payload;

type Payloads = readonly Payload[];

/** Options of a workflow's start in addition to its input. */
interface Beside {
  memo?: Record<string, Payload>;
  attributes?: Record<string, Payload>;
}

/** Returns Temporal as a client without our keys sees it: payloads are sent and received unchanged. */
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
     * Calls Temporal's *Reset*, which needs no key of the platform, and returns the new run.
     *
     * @param to a completed task: the first, the last, or the last before any event of this kind.
     * @param without leaves out signals that came later
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
    /** Starts a workflow, even with an id that was used before. */
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
    /**
     * Sends an update.
     *
     * @returns the error; undefined if it was accepted
     */
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
    /**
     * Queries a workflow.
     *
     * @returns the error; undefined if it was answered
     */
    query: (workflowId: string, queryType: string, payloads: Payloads): Promise<string | undefined> =>
      service
        .queryWorkflow({ namespace, execution: { workflowId }, query: { queryType, queryArgs: input(payloads) } })
        .then(() => undefined)
        .catch((error: Error) => error.message),
    /**
     * Queries a workflow.
     *
     * @returns the encoding of the answer; undefined without an answer
     */
    answer: (workflowId: string, queryType: string, payloads: Payloads): Promise<string | undefined> =>
      service
        .queryWorkflow({ namespace, execution: { workflowId }, query: { queryType, queryArgs: input(payloads) } })
        .then(({ queryResult }) => Buffer.from(queryResult?.payloads?.[0]?.metadata?.encoding ?? []).toString())
        .catch(() => undefined),
    /** Returns the payloads with which a workflow was started. */
    async startedWith(workflowId: string): Promise<Payload[]> {
      const [first] = await history(workflowId);
      return (first?.workflowExecutionStartedEventAttributes?.input?.payloads ?? []) as Payload[];
    },
    /** Returns the payloads of the signals and accepted updates that a workflow received. */
    received: async (workflowId: string): Promise<Received[]> => receivedIn(await history(workflowId)),
  };
}

type Answer = Awaited<ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>>;
type Events = NonNullable<NonNullable<Answer['history']>['events']>;
type Event = Events[number];

/** Returns the payloads of the signals and accepted updates in a history. */
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

/** Message as stored in a history. */
export interface Received {
  kind: 'signal' | 'update';
  name: string;
  payloads: Payload[];
  /** Id of an update. */
  id: string;
}

const payloadsOf = (payloads: Payload[] | null | undefined): Payload[] => payloads ?? [];
