import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { NO_AUTHORITY } from '../../core/access/recorded-principal.js';
import type { Definition } from '../../core/definition/definition.js';
import { inputError } from '../../core/errors.js';
import { groupByKey } from '../../core/grouped.js';
import { buildLockRequest } from '../../core/infra/lock-request.js';
import { infraWorkflowId } from '../../core/names.js';
import { batchOperationId } from '../../core/operation/batch.js';
import type { MachinePlan } from '../../core/operation/machine-plan.js';
import type { LockRequest, OperationRequest } from '../../core/operation/operation.js';
import type { Compensation } from '../../core/operation/to-undo.js';
import { splitUndo } from '../../core/operation/to-undo.js';
import type { BatchHeader, BatchOperation } from '../../core/schema/batch-request.js';
import { isKept } from '../../stores/is-kept.js';
import type { RollbackOwner } from '../../stores/rollbacks.js';
import { beatWhile } from '../beating.js';
import type { Dependencies } from '../dependencies.js';
import { readCompensations } from '../infra/compensations-of.js';
import { isRunning } from '../infra/is-running.js';
import { startOptions } from '../infra/operation-start.js';
import type { PlanServersInput } from '../machine/plan-servers.js';
import { type Beginning, lookEarly } from '../service/early-look.js';
import { computeLinger, createOperationRequest, createUndoRequest } from './batch-request.js';
import type { createCourier } from './courier.js';
import { definitionsIn } from './definitions.js';
import { forEachLimited, STARTS_AT_ONCE } from './each-of.js';
import { forgetLocks } from './forget-locks.js';
import { grantsBy } from './grants.js';
import type { pagesIn } from './pages.js';

interface BatchStart {
  index: number;
  generation: number;
  /** For an operation to roll back: it was canceled, perhaps before it began. */
  canceled?: true;
}

/** How the rolling back of operations began. */
interface UndoAnswer {
  started: number[];
  waiting: number[];
  /** Operations without anything to roll back. */
  nothing: number[];
  /** Operations with an unknown effect. */
  cannot: { index: number; why: string }[];
}

export interface StartsInput {
  batch: BatchHeader;
  pageSize: number;
  /** By number; only those in which the operations are. */
  pages: Record<number, string>;
  starts: BatchStart[];
}

/** Asks infras for the locks of a batch's operations, and starts those that got them. */
export function createStarts(
  { temporal, taskQueue, blobs, feeds, limits, rollbacks, decideAuthority = async () => ({}) }: Dependencies,
  planServers: (input: PlanServersInput) => Promise<MachinePlan>,
  courier: ReturnType<typeof createCourier>,
  pageAt: ReturnType<typeof pagesIn>,
) {
  const definitionAt = definitionsIn(blobs);
  const grantsFor = grantsBy({ temporal, taskQueue });
  const start = (request: OperationRequest) => begin(temporal, taskQueue, courier, request);
  /** Whether the entity may be asked, and started if it is missing: not if the store knows the infra of one that has ended. */
  const mayAsk = async (workspace: string, infra: string): Promise<boolean> =>
    (await isRunning(temporal, infraWorkflowId(workspace, infra))) || !(await isKept(feeds, { workspace, infra }));

  return {
    /** Asks the infras for locks and starts what got them; answers which operations began and which wait for a lock. */
    async startBatchOperations(input: StartsInput): Promise<{ started: number[]; waiting: number[] }> {
      const { batch } = input;
      const all = await operationsOf(input, pageAt);
      const refused = await refusalOf(decideAuthority, batch, 'batch:submit');
      if (refused !== undefined) {
        // Locks that were requested before would be granted later, and stay.
        const idOf = (member: (typeof all)[0]) => createOperationRequest(batch, member).id;
        const operations = all.map((member) => ({ infra: member.operation.infra, operation: idOf(member) }));
        await forgetLocks(temporal, { workspace: batch.workspace, operations });
        throw inputError({ code: NO_AUTHORITY, what: 'start the operation', on: batch.id, why: refused });
      }
      const infras = groupByKey(all, ({ operation }) => `${operation.infra} ${appliedBy(operation) ?? ''}`);
      const answer: { started: number[]; waiting: number[] } = { started: [], waiting: [] };
      const requests: OperationRequest[] = [];
      await Promise.all(
        [...infras.values()].map(async (members) => {
          const [{ operation: one }] = members as [(typeof members)[0]];
          if (!(await mayAsk(batch.workspace, one.infra))) return void answer.waiting.push(...members.map(({ index }) => index));
          const address = appliedBy(one);
          const brings = address === undefined ? undefined : await definitionAt(address, one.infra);
          const definition = brings?.definition;
          const wished = members.map((member) => ({ ...member, definition, request: createOperationRequest(batch, member) }));
          const grants = await grantsFor(one.infra, batch, wished.map(wishOf), brings);
          const beginnings: (Beginning & { request: ReturnType<typeof createOperationRequest> })[] = [];
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
      await forEachLimited(requests, STARTS_AT_ONCE, start);
      return answer;
    },

    /** Starts the rolling back of operations that have ended. */
    async startBatchUndo(input: StartsInput): Promise<UndoAnswer> {
      const { batch } = input;
      const answer: UndoAnswer = { started: [], waiting: [], nothing: [], cannot: [] };
      const refused = batch.of === undefined ? undefined : await refusalOf(decideAuthority, batch, 'batch:rollback');
      if (refused !== undefined) return { ...answer, cannot: input.starts.map(({ index }) => ({ index, why: refused })) };
      await forEachLimited(await operationsOf(input, pageAt), STARTS_AT_ONCE, async (member) => {
        if (!(await mayAsk(batch.workspace, member.operation.infra))) return void answer.waiting.push(member.index);
        const of = batchOperationId(batch.of ?? batch.id, member.index, member.generation);
        const owner = { workspace: batch.workspace, infra: member.operation.infra, operation: of };
        const compensations = await leftToUndo({ temporal, rollbacks }, owner, member.canceled);
        if (typeof compensations === 'string') return void answer.cannot.push({ index: member.index, why: compensations });
        if (compensations.length === 0) return void answer.nothing.push(member.index);
        const id = batchOperationId(batch.id, member.index, member.generation, true);
        const request: OperationRequest = { ...createUndoRequest(batch, member), id, intent: { verb: 'rollback', of } };
        const grants = await grantsFor(member.operation.infra, batch, [{ ...wishOf({ request, compensations }), undoes: of }]);
        const grant = grants.get(id);
        if (grant) await start({ ...request, batch: { id: batch.id, index: member.index, lingerMs: computeLinger(batch), grant } });
        answer[grant ? 'started' : 'waiting'].push(member.index);
      });
      return answer;
    },
  };
}

/** Returns the reason why the account that submitted a batch may not begin anything any more. Undefined if it may. */
async function refusalOf(
  decideAuthority: NonNullable<Dependencies['decideAuthority']>,
  { id, principal, actor, workspace }: BatchHeader,
  action: string,
): Promise<string | undefined> {
  if (!principal) return undefined;
  const { refused } = await decideAuthority({ principal, actor, operation: id, action, workspace });
  return refused && `${actor} may not do "${action}" any more: ${refused}`;
}

/** Returns the work to undo of an ended operation, or the reason why it is unknown. */
async function leftToUndo(
  sources: Pick<Dependencies, 'temporal' | 'rollbacks'>,
  owner: RollbackOwner,
  canceled?: boolean,
): Promise<Compensation[] | string> {
  // One that was told to stop may take its time.
  const found = await beatWhile(() => readCompensations(sources, owner));
  if (!('cannot' in found)) return splitUndo(found.compensations, found).undo;
  // One that began and did something before it was canceled has said so.
  return found.unknown && canceled ? [] : `cannot be undone: ${found.cannot}`;
}

/** Starts an operation whose news are then waited for. */
async function begin(
  temporal: Client,
  taskQueue: string,
  courier: ReturnType<typeof createCourier>,
  request: OperationRequest,
): Promise<void> {
  const hearers = [infraWorkflowId(request.workspace, request.infra), request.batch?.id ?? ''];
  for (const hearer of hearers) courier.expect(hearer, 1);
  try {
    await temporal.workflow.start(request.kind, startOptions(request, { taskQueue }));
  } catch (error) {
    for (const hearer of hearers) courier.expect(hearer, -1);
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    // An earlier attempt of this start succeeded. If the operation has ended since, the lock that was requested again
    // has no owner.
    const { id: operation, workspace, infra } = request;
    if (!(await isRunning(temporal, operation))) await forgetLocks(temporal, { workspace, operations: [{ infra, operation }] });
  }
}

type Member = StartsInput['starts'][number] & { operation: BatchOperation };

/** Returns the operations to start from their pages. */
const operationsOf = ({ pages, pageSize, starts }: StartsInput, pageAt: ReturnType<typeof pagesIn>): Promise<Member[]> =>
  Promise.all(
    starts.map(async (start) => {
      const page = await pageAt(pages[Math.floor(start.index / pageSize)] as string);
      return { ...start, operation: page[start.index % pageSize] as BatchOperation };
    }),
  );

interface Wished {
  request: OperationRequest;
  /** Definition to apply. It is referred to by content address, so the request stays small. */
  definition?: Definition;
  compensations?: Compensation[];
}

const wishOf = ({ request, definition, compensations }: Wished): LockRequest => ({
  ...buildLockRequest({ ...request, definition }, compensations),
  batch: request.batch?.id,
});

/** The address of the definition that an operation applies: what deletes things goes by the last applied one. */
const appliedBy = ({ verb, definition }: BatchOperation): string | undefined => (verb === 'ensure' ? definition : undefined);
