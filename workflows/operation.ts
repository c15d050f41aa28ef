import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  defineQuery,
  defineUpdate,
  getExternalWorkflowHandle,
  isCancellation,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { Definition } from '../core/definition.js';
import { inventoryOf } from '../core/grant.js';
import type { Inventory, InventoryChange } from '../core/inventory.js';
import { record } from '../core/inventory.js';
import { lockRequestOf } from '../core/lock-request.js';
import { infraWorkflowId, SEARCH_ATTRIBUTES } from '../core/names.js';
import type {
  Cell,
  Compensation,
  Decision,
  Failure,
  Grant,
  OperationRequest,
  OperationResult,
  OperationStatus,
  Progress,
  ServiceState,
} from '../core/operation.js';
import { exitCodeOf } from '../core/operation.js';
import { activitiesFor, type OperationActivities } from './activities.js';
import { renderDetails } from './details.js';
import { nameOfDrain, putBackAll } from './draining.js';
import { describeFailure, OperationStopped } from './failures.js';
import { acquire, changed, granted, release } from './infra.js';
import { takeBack } from './take-back.js';
import { tellBatch } from './tell-batch.js';

/** Where the operation stands; works after its end too. */
export const progressQuery = defineQuery<Progress>('progress');
/** What it was asked to do. */
export const requestQuery = defineQuery<OperationRequest>('request');
/** A person's answer to a failure; only while the operation waits for one. */
export const decideUpdate = defineUpdate<string, [{ decision: Decision; actor: string }]>('decide');

/** What the phases of an operation share: its record, its activities, its way of failing. */
export interface Operation {
  readonly request: OperationRequest;
  readonly activities: OperationActivities;
  /** As granted, with all that was recorded since. */
  inventory: Inventory;
  readonly progress: Progress;
  readonly compensations: Compensation[];
  /** Set by the first failure or cancellation: nothing new is begun. */
  stopped: boolean;
  /** Idempotency key of a step of this operation. */
  key(step: string, generation?: number): string;
  show(cell: Cell): void;
  executed(steps: number): void;
  /** Tells the infra's inventory, and waits until it knows. */
  record(...changes: InventoryChange[]): Promise<void>;
  /**
   * Does one thing under the on-failure policy. With `ask` a failure waits for a
   * person: `retry` does it again with the next generation, `skip` answers undefined.
   */
  attempt<T>(
    at: { step: string; on: string /** As with `ask`, whatever the policy. */; ask?: boolean },
    work: (generation: number) => Promise<T>,
  ): Promise<T | undefined>;
}

/** The frame of every operation: admission, the work, and one of the ways in which it ends. */
export async function runOperation(
  request: OperationRequest,
  work: (operation: Operation) => Promise<void>,
): Promise<OperationResult> {
  const { id, kind, workspace, infra } = request;
  const progress: Progress = {
    operation: id,
    kind,
    workspace,
    infra,
    status: 'queued',
    steps: { executed: 0, planned: 0 },
    services: [],
    plan: [],
    control: [],
    cells: [],
  };
  let grant: Grant | undefined;
  let decision: { decision: Decision; actor: string } | undefined;
  let asking = Promise.resolve();
  /** The answer that ended the operation: what else failed meanwhile is not asked about. */
  let final: Decision | undefined;
  const refresh = () => setCurrentDetails(renderDetails(progress));
  const enter = (status: OperationStatus, waiting?: string) => {
    // A batch's operation is started as running, and what is completed is done: an upsert costs as much as a step.
    const known = status === 'running' && progress.status === 'queued' && request.batch !== undefined;
    if (progress.status !== status && !known && status !== 'done') {
      const attention = status === 'waiting' ? ['decision'] : status === 'rolled-back' && progress.left?.length ? ['left'] : [];
      upsertSearchAttributes({
        [SEARCH_ATTRIBUTES.status]: [status],
        [SEARCH_ATTRIBUTES.attention]: attention,
      });
    }
    Object.assign(progress, { status, waiting });
    refresh();
  };

  setHandler(granted, (given) => {
    grant ??= given;
  });
  setHandler(progressQuery, () => progress);
  setHandler(requestQuery, () => request);
  setHandler(
    decideUpdate,
    (answer) => {
      decision = answer;
      return `${answer.decision}, as ${answer.actor} says`;
    },
    {
      validator: (_answer) => {
        if (progress.status !== 'waiting' || decision)
          throw ApplicationFailure.nonRetryable('the operation does not wait for a decision', 'not-waiting');
      },
    },
  );

  const entity = getExternalWorkflowHandle(infraWorkflowId(workspace, infra));
  const operation: Operation = {
    request,
    activities: activitiesFor(request.timing, request.batch !== undefined),
    inventory: { workspace, infra, uuid: '', servers: {}, networks: {} },
    progress,
    compensations: [],
    stopped: false,
    key: (step, generation = 1) => `${id}/${step}/${generation}`,
    show(cell) {
      const index = progress.cells.findIndex(({ server, taskserv }) => server === cell.server && taskserv === cell.taskserv);
      if (index < 0) progress.cells.push(cell);
      else progress.cells[index] = cell;
      refresh();
    },
    executed(steps) {
      progress.steps.executed += steps;
    },
    async record(...changes) {
      for (const change of changes) operation.inventory = record(operation.inventory, change);
      if (!grant) return;
      if (request.batch) await tellBatch(operation, grant, changes);
      else await entity.signal(changed, { grant: grant.grant, changes });
    },
    async attempt(at, run) {
      for (let generation = 1; ; generation++) {
        try {
          return await run(generation);
        } catch (error) {
          if (isCancellation(error)) {
            operation.stopped = true;
            throw error;
          }
          const failure = describeFailure(error, at);
          markFailed(at.on, failure);
          if (!at.ask && policyOf(request, operation.inventory.definition) !== 'ask') {
            operation.stopped = true;
            throw new OperationStopped(failure);
          }
          const answer = await ask(failure);
          if (answer === 'skip') return undefined;
          if (answer !== 'retry') {
            operation.stopped = true;
            throw new OperationStopped(failure, answer);
          }
        }
      }
    },
  };

  /** Shows the failure in the cell of the server or service that it befell. */
  function markFailed(on: string, { step, why }: Failure): void {
    const [server, taskserv] = on.split('/');
    const cell = progress.cells.find((one) => one.server === server && one.taskserv === taskserv);
    if (cell) operation.show({ ...cell, state: 'failed', step: `${step}: ${why}` });
  }

  /** One question at a time; others that failed meanwhile wait for their turn. */
  async function ask(failure: Failure): Promise<Decision> {
    const turn = asking.then(async () => {
      if (final) return final;
      progress.error = failure;
      enter('waiting', `${failure.step} failed on ${failure.on}: ${failure.why}. Retry, skip, keep or roll back?`);
      await condition(() => decision !== undefined);
      const answer = decision?.decision ?? 'keep';
      decision = undefined;
      if (answer === 'retry' || answer === 'skip') progress.error = undefined;
      else final = answer;
      enter('running');
      return answer;
    });
    asking = turn.then(
      () => {},
      () => {},
    );
    return turn;
  }

  const undoAll = () =>
    CancellationScope.nonCancellable(async () => {
      const { left, compensations } = await takeBack(operation, [...operation.compensations].reverse());
      progress.left = left;
      // What could not be taken back can be tried again: `workflow rollback` is handed these.
      operation.compensations.splice(0, Number.POSITIVE_INFINITY, ...compensations.reverse());
      const remains = ({ server, taskserv }: ServiceState) => operation.inventory.servers[server]?.services[taskserv] !== undefined;
      progress.services = progress.services.filter(remains);
    });

  async function conclude(error: unknown): Promise<void> {
    const canceled = isCancellation(error);
    if (!canceled) progress.error = describeFailure(error, { step: 'run the operation', on: infra });
    const chosen = error instanceof OperationStopped ? error.decision : undefined;
    const policy = chosen ?? policyOf(request, operation.inventory.definition);
    const undo = policy === 'rollback' && request.intent.verb !== 'rollback' && !request.check;
    const begun = operation.compensations.length > 0;
    if (!undo) await putBackAll(operation);
    if (undo) await undoAll();
    else progress.left = whatIsLeft(operation.compensations);
    enter(canceled ? 'canceled' : undo && begun ? 'rolled-back' : 'failed');
  }

  try {
    grant = await admit();
    operation.inventory = inventoryOf(grant, request);
    enter('running');
    await work(operation);
    await asking;
    enter(progress.error ? 'failed' : 'done');
  } catch (error) {
    await CancellationScope.nonCancellable(() => conclude(error));
  }
  progress.compensations = [...operation.compensations].reverse();
  await CancellationScope.nonCancellable(async () => {
    if (grant && request.batch) await tellBatch(operation, grant, [], summaryOf(progress));
    else if (grant) await entity.signal(release, { grant: grant.grant, changes: [] }).catch(() => {});
    await condition(allHandlersFinished);
  });
  const { cells: _, waiting: __, ...result } = progress;
  if (progress.status === 'canceled') throw new CancelledFailure('the operation was canceled', [result]);
  if (exitCodeOf(result) !== 0) {
    throw ApplicationFailure.create({
      message: summaryOf(result),
      type: `operation-${progress.status}`,
      nonRetryable: true,
      details: [result],
    });
  }
  return result;

  async function admit(): Promise<Grant> {
    if (request.batch?.grant) return request.batch.grant;
    const wish = lockRequestOf(request);
    enter('queued', 'waits to be admitted');
    try {
      await entity.signal(acquire, wish);
    } catch (error) {
      if (isCancellation(error)) throw error;
      await operation.activities.askNewInfra({ workspace, infra, request: wish });
    }
    await condition(() => grant !== undefined);
    return grant as Grant;
  }
}

const policyOf = (request: OperationRequest, definition: Definition | undefined) =>
  request.onFailure ?? request.definition?.onFailure ?? definition?.onFailure ?? 'rollback';

function summaryOf({ error, status, left }: OperationResult): string {
  const what = error ? `${error.step}: ${error.on}: ${error.why}` : `the operation ${status}`;
  return left && left.length > 0 ? `${what} (left: ${left.join(', ')})` : what;
}

function whatIsLeft(compensations: Compensation[]): string[] {
  const names = compensations.map((one) => {
    if (one.undo === 'delete-server') return `server ${one.server}`;
    if (one.undo === 'delete-network') return `network ${one.network}`;
    if (one.undo === 'update-server') return `server ${one.before.name} as changed`;
    if (one.undo === 'drain') return nameOfDrain(one.drain);
    return one.undo === 'host-steps' ? `taskserv ${one.taskserv} on ${one.server}` : undefined;
  });
  return [...new Set(names.filter((name) => name !== undefined))];
}
