import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import type { InventoryChange } from '../../core/infra/inventory.js';
import type { BatchReport, Indices } from '../../core/operation/batch.js';
import { type Controller, UNKNOWN_ACTOR } from '../../core/operation/control.js';
import type { MachinePlan } from '../../core/operation/machine-plan.js';
import type { BatchOperation } from '../../core/schema/batch-request.js';
import { beatWhile } from '../beating.js';
import type { Dependencies } from '../dependencies.js';
import type { Closings } from '../infra/closings.js';
import { type FeedBacklog, isNews, stillUnkept } from '../infra/feed.js';
import { createKeepRollback, type KeepInput } from '../infra/keep-rollback.js';
import { type QueueWatch, watchQueue } from '../infra/watch-queue.js';
import type { PlanServersInput } from '../machine/plan-servers.js';
import { findFailedBranch } from './batch-branch.js';
import { awaitKeptBatch, type BatchEnd } from './batch-kept.js';
import { createCourier } from './courier.js';
import { forEachLimited, STARTS_AT_ONCE } from './each-of.js';
import { forgetLocks, type LocksOf } from './forget-locks.js';
import { pagesIn } from './pages.js';
import { createStarts } from './starts.js';
import { type WatchInput, watchBatch } from './watch-batch.js';

/** Message to the infra about an operation of a batch, and to the batch about its end. */
export interface News {
  entity: string;
  grant: number;
  changes: InventoryChange[];
  lingerMs: number;
  /** With the end of the operation: what it left to be rolled back, kept before anybody hears of the end. */
  kept?: KeepInput;
  /** With the end of the operation. */
  ended?: { batch: string; report: BatchReport };
}

/** Operations of a batch that wait for a lock. */
export interface BatchQueueWatch extends Omit<QueueWatch, 'queued'> {
  pageSize: number;
  /** By number; only those in which the operations are. */
  pages: Record<number, string>;
  waiting: { index: number; operation: string }[];
}

/** Activities of the workflow `batch` and its operations. */
export function createBatchActivities(
  dependencies: Dependencies,
  planServers: (input: PlanServersInput) => Promise<MachinePlan>,
  closings: Closings,
) {
  const { temporal, blobs, rollbacks } = dependencies;
  const keepRollback = createKeepRollback(rollbacks);
  const courier = createCourier(temporal);
  const pageAt = pagesIn(blobs);
  return {
    /**
     * Reads a page of the batch's operations, reduced to the fields that the batch needs, because its history keeps
     * the answer.
     */
    async readBatchPage({ page }: { page: string }): Promise<BatchOperation[]> {
      return (await pageAt(page)).map(withoutManner);
    },

    ...createStarts(dependencies, planServers, courier, pageAt),

    /** Finds the operations that only failed operations needed. */
    async findFailedBranch({ pages, marks }: { pages: string[]; marks: string }): Promise<Indices> {
      return findFailedBranch((await Promise.all(pages.map(pageAt))).flat(), marks);
    },

    /**
     * Waits until the store has what the operations of a batch did; answers how it stands where it has not after so long.
     *
     * @param known as for `awaitKept`
     */
    async awaitBatchKept({ pages, forMs, known, ...end }: BatchEnd & { forMs: number; known?: string }): Promise<FeedBacklog> {
      const operations = (await Promise.all(pages.map(pageAt))).flat();
      const keeping = await beatWhile(() => awaitKeptBatch(dependencies, operations, end, forMs));
      if (isNews(keeping, known)) return keeping;
      throw stillUnkept(keeping, 'the batch');
    },

    /** Tells operations to stop, in whose name and why; those that have ended or stop already are passed over. */
    cancelBatchOperations: ({
      operations,
      by = { actor: UNKNOWN_ACTOR },
    }: {
      operations: string[];
      by?: Controller;
    }): Promise<void> => beatWhile(() => forEachLimited(operations, STARTS_AT_ONCE, (operation) => stop(temporal, operation, by))),

    /** Gives up the locks of operations that will not begin, or have died. */
    forgetBatchLocks: (input: LocksOf): Promise<void> => forgetLocks(temporal, input),

    /** Tells the batch of its operations that closed otherwise than well, as long as it runs. */
    watchBatchOperations: (input: WatchInput): Promise<void> => watchBatch({ ...dependencies, closings }, input),

    /** Watches operations of a batch that wait for a lock: answers the indices of those whose request is worth repeating. */
    async watchBatchQueue({ workspace, pageSize, pages, waiting, everyMs, forMs }: BatchQueueWatch): Promise<number[]> {
      const queued = await Promise.all(
        waiting.map(async ({ index, operation }) => {
          const page = await pageAt(pages[Math.floor(index / pageSize)] as string);
          return { index, operation, infra: (page[index % pageSize] as BatchOperation).infra };
        }),
      );
      const found = new Set(await watchQueue(dependencies, { workspace, queued, everyMs, forMs }));
      return queued.filter(({ operation }) => found.has(operation)).map(({ index }) => index);
    },

    /** Tells the infra what an operation of a batch did, and the batch that it has ended. */
    async tell({ entity, grant, changes, lingerMs, kept, ended }: News): Promise<void> {
      if (kept) await keepRollback(kept);
      await courier.bring(entity, 'told', { grant, changes, ...(ended && { ended: true }) }, lingerMs, ended !== undefined);
      // They come from the infra's box together already.
      if (ended) await courier.bring(ended.batch, 'reported', ended.report, lingerMs / 20, true);
    },
  };
}

function withoutManner(operation: BatchOperation): BatchOperation {
  const { onFailure: _, onTimeout: __, approve: ___, timing: ____, update: _____, settings: ______, ...rest } = operation;
  return rest;
}

/** Tells an operation to stop, unless it has ended or stops already. */
async function stop(temporal: Client, operation: string, by: Controller): Promise<void> {
  const handle = temporal.workflow.getHandle(operation);
  try {
    // After only Temporal's own cancel, it would pause and ask. After this one it ends as canceled there, too.
    await handle.executeUpdate('stop', { args: [by] });
    await handle.cancel();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError || error instanceof WorkflowUpdateFailedError)) throw error;
  }
}
