import { Context, heartbeat } from '@temporalio/activity';
import {
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import type { Definition } from '../../core/definition/definition.js';
import { grouped } from '../../core/grouped.js';
import type { InventoryChange } from '../../core/infra/inventory.js';
import { lockRequestOf } from '../../core/infra/lock-request.js';
import { infraWorkflowId } from '../../core/names.js';
import {
  type BatchHeader,
  type BatchOperation,
  type BatchReport,
  batchOperationId,
  type Indices,
} from '../../core/operation/batch.js';
import { checkRequest } from '../../core/operation/check-request.js';
import { type By, UNKNOWN_ACTOR } from '../../core/operation/control.js';
import type { MachinePlan } from '../../core/operation/machine-plan.js';
import type { Compensation, Grant, LockRequest, OperationRequest } from '../../core/operation/operation.js';
import { whileBeating } from '../beating.js';
import type { Dependencies } from '../dependencies.js';
import { compensationsOf } from '../infra/compensations-of.js';
import { entityStart } from '../infra/entity.js';
import { startOptions } from '../infra/operation-start.js';
import type { PlanServersInput } from '../machine/servers.js';
import { type Beginning, lookEarly } from '../service/early-look.js';
import { failedBranch } from './batch-branch.js';
import { courierOf } from './courier.js';
import { type WatchInput, watchBatch } from './watch-batch.js';

/** Starts that are on their way to the server at once. */
const STARTS_AT_ONCE = 24;

/** How long news wait for company, in milliseconds: a signal of its own costs an operation a third more. With many at work none waits for it. */
const lingerOf = ({ parallel }: BatchHeader): number => Math.min(600, parallel);

export interface StartsInput {
  batch: BatchHeader;
  pageSize: number;
  /** By number; only those in which the operations are. */
  pages: Record<number, string>;
  starts: { index: number; generation: number }[];
}

/** What the infra is told of an operation of a batch, and the batch of its end. */
export interface News {
  entity: string;
  grant: number;
  changes: InventoryChange[];
  lingerMs: number;
  /** With the end of the operation. */
  ended?: { batch: string; report: BatchReport };
}

/** What the workflow `batch` and its operations ask for. */
export function createBatchActivities(
  { temporal, taskQueue, blobs, limits }: Dependencies,
  planServers: (input: PlanServersInput) => Promise<MachinePlan>,
) {
  const courier = courierOf(temporal);
  const pages = new Map<string, Promise<BatchOperation[]>>();
  const sent = new Set<string>();

  /** Pages are read again and again while a batch goes through them. */
  function pageAt(address: string): Promise<BatchOperation[]> {
    const known = pages.get(address);
    if (known) return known;
    const page = blobs.get(address).then((text) => {
      const operations = JSON.parse(text) as BatchOperation[];
      checkRequest('batchOperations', operations, { strict: false, on: address });
      return operations;
    });
    pages.set(address, page);
    page.catch(() => pages.delete(address));
    if (pages.size > 8) pages.delete(pages.keys().next().value as string);
    return page;
  }

  async function operationsOf({ pages, pageSize, starts }: StartsInput) {
    return Promise.all(
      starts.map(async (start) => {
        const page = await pageAt(pages[Math.floor(start.index / pageSize)] as string);
        return { ...start, operation: page[start.index % pageSize] as BatchOperation };
      }),
    );
  }

  async function grantsFor(infra: string, batch: BatchHeader, wishes: LockRequest[], definition?: string) {
    const mark = `${batch.id} ${infra} ${definition}`;
    const { workspace } = batch;
    const fresh = definition && !sent.has(mark) ? (JSON.parse(await blobs.get(definition)) as Definition) : undefined;
    if (fresh) checkRequest('definition', fresh, { strict: false, on: infra });
    const grants = await temporal.workflow.executeUpdateWithStart<Workflow, Record<string, Grant>, [object]>('acquireMany', {
      args: [
        {
          wishes: wishes.map((wish) => ({ ...wish, submitted: batch.submitted })),
          ...(fresh && { definition: { ...fresh, infra } }),
        },
      ],
      startWorkflowOperation: new WithStartWorkflowOperation('infra', entityStart(workspace, infra, taskQueue)),
    });
    if (fresh) sent.add(mark);
    return new Map(Object.entries(grants));
  }

  async function start(request: OperationRequest): Promise<void> {
    const hearers = [infraWorkflowId(request.workspace, request.infra), request.batch?.id ?? ''];
    for (const hearer of hearers) courier.expect(hearer, 1);
    try {
      await temporal.workflow.start(request.kind, startOptions(request, { taskQueue }));
    } catch (error) {
      // An earlier try of this very start had come through.
      for (const hearer of hearers) courier.expect(hearer, -1);
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }

  return {
    /** A page of the batch's operations. */
    async readBatchPage({ page }: { page: string }): Promise<BatchOperation[]> {
      return pageAt(page);
    },

    /** Asks the infras for locks and starts what got them; answers which operations began and which wait for a lock. */
    async startBatchOperations(input: StartsInput): Promise<{ started: number[]; waiting: number[] }> {
      const { batch } = input;
      const all = await operationsOf(input);
      const infras = grouped(all, ({ operation }) => `${operation.infra} ${operation.definition ?? ''}`);
      const answer: { started: number[]; waiting: number[] } = { started: [], waiting: [] };
      const requests: OperationRequest[] = [];
      await Promise.all(
        [...infras.values()].map(async (members) => {
          const [{ operation: one }] = members as [(typeof members)[0]];
          const wished = members.map((member) => ({ ...member, request: requestOf(batch, member) }));
          const grants = await grantsFor(one.infra, batch, wished.map(wishOf), one.definition);
          const beginnings: (Beginning & { request: ReturnType<typeof requestOf> })[] = [];
          for (const { index, request } of wished) {
            const grant = grants.get(request.id);
            if (grant) beginnings.push({ request, grant });
            answer[grant ? 'started' : 'waiting'].push(index);
          }
          const looks = await lookEarly(beginnings, planServers, (provider) => limits?.get(provider)?.queue !== undefined);
          for (const { request, grant } of beginnings)
            requests.push({ ...request, batch: { ...request.batch, grant, seen: looks.get(request.id) } });
        }),
      );
      await eachOf(requests, STARTS_AT_ONCE, start);
      return answer;
    },

    /** Starts the taking back of operations that have ended; answers those of which nothing is to be taken back. */
    async startBatchUndo(input: StartsInput): Promise<{ started: number[]; waiting: number[]; nothing: number[] }> {
      const { batch } = input;
      const answer: { started: number[]; waiting: number[]; nothing: number[] } = { started: [], waiting: [], nothing: [] };
      await eachOf(await operationsOf(input), STARTS_AT_ONCE, async (member) => {
        const of = batchOperationId(batch.of ?? batch.id, member.index, member.generation);
        // One that was told to stop may take its time.
        const compensations = await whileBeating(() => compensationsOf(temporal, of));
        if (compensations.length === 0) {
          answer.nothing.push(member.index);
          return;
        }
        const id = batchOperationId(batch.id, member.index, member.generation, true);
        const request: OperationRequest = { ...requestOf(batch, member), id, intent: { verb: 'rollback', of } };
        const grants = await grantsFor(member.operation.infra, batch, [wishOf({ request, compensations })]);
        const grant = grants.get(id);
        if (grant) await start({ ...request, batch: { id: batch.id, index: member.index, lingerMs: lingerOf(batch), grant } });
        answer[grant ? 'started' : 'waiting'].push(member.index);
      });
      return answer;
    },

    /** What was done only for the sake of operations that failed: those that they needed and nothing outside the branch does. */
    async findFailedBranch({ pages, marks }: { pages: string[]; marks: string }): Promise<Indices> {
      return failedBranch((await Promise.all(pages.map(pageAt))).flat(), marks);
    },

    /** Tells operations to stop, in whose name and why; those that have ended or stop already are passed over. */
    async cancelBatchOperations({ operations, by = { actor: UNKNOWN_ACTOR } }: { operations: string[]; by?: By }): Promise<void> {
      const isOver = (error: unknown) => error instanceof WorkflowNotFoundError || error instanceof WorkflowUpdateFailedError;
      await whileBeating(() =>
        eachOf(operations, STARTS_AT_ONCE, async (operation) => {
          const handle = temporal.workflow.getHandle(operation);
          try {
            // Temporal's own cancel alone would have it pause and ask; after this one it ends as canceled there as well.
            await handle.executeUpdate('stop', { args: [by] });
            await handle.cancel();
          } catch (error) {
            if (!isOver(error)) throw error;
          }
        }),
      );
    },

    /** Gives up the locks of operations that will not begin, or have died. */
    async forgetBatchLocks({ workspace, operations }: { workspace: string; operations: { infra: string; operation: string }[] }) {
      for (const [infra, members] of grouped(operations, (one) => one.infra)) {
        await temporal.workflow
          .getHandle(infraWorkflowId(workspace, infra))
          .signal(
            'forgotten',
            members.map(({ operation }) => operation),
          )
          .catch((error) => {
            if (!(error instanceof WorkflowNotFoundError)) throw error;
          });
      }
    },

    /** Tells the batch of its operations that closed otherwise than well, as long as it runs. */
    watchBatchOperations: (input: WatchInput): Promise<void> => watchBatch(temporal, input),

    /** Tells the infra what an operation of a batch did, and the batch that it has ended. */
    async tell({ entity, grant, changes, lingerMs, ended }: News): Promise<void> {
      await courier.bring(entity, 'told', { grant, changes, ...(ended && { ended: true }) }, lingerMs, ended !== undefined);
      // They come from the infra's box together already.
      if (ended) await courier.bring(ended.batch, 'reported', ended.report, lingerMs / 20, true);
    },
  };
}

function requestOf(
  batch: BatchHeader,
  { index, generation, operation }: { index: number; generation: number; operation: BatchOperation },
) {
  const { kind, verb, infra, servers, taskservs, prune, allowDestroy, priority } = operation;
  return {
    id: batchOperationId(batch.id, index, generation),
    kind,
    workspace: batch.workspace,
    infra,
    intent: { verb, ...(servers && { servers }), ...(taskservs && { taskservs }), ...(prune && { prune }) },
    onFailure: batch.onFailure === 'keep' ? 'keep' : 'rollback',
    ...(allowDestroy && { allowDestroy }),
    priority: priority ?? batch.priority,
    actor: batch.actor,
    ...(batch.timing && { timing: batch.timing }),
    batch: { id: batch.id, index, lingerMs: lingerOf(batch) },
  } satisfies OperationRequest;
}

const wishOf = ({ request, compensations }: { request: OperationRequest; compensations?: Compensation[] }): LockRequest => ({
  ...lockRequestOf(request, compensations),
  batch: request.batch?.id,
});

/** Does it for each, so many at a time, and gives signs of life meanwhile. */
async function eachOf<T>(items: T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const one = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) {
      Context.current().cancellationSignal.throwIfAborted();
      await work(item);
      heartbeat();
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, one));
}
