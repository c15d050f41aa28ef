import type { WorkflowExecutionInfo } from '@temporalio/client';
import * as z from 'zod';
import { quickHash } from '../../core/encoding/hash.js';
import { isOpen } from '../../core/engine/is-open.js';
import { quoteValue } from '../../core/engine/quote-value.js';
import { OPERATION_KINDS, SEARCH_ATTRIBUTES } from '../../core/names.js';
import type { OperationKind, OperationStatus } from '../../core/operation/operation.js';
import { PREVIEW_PREFIXES } from '../../core/operation-id.js';
import type { Engine } from '../engine.js';
import { decodeCursor, encodeCursor } from '../lists/cursor.js';
import type { Page } from '../lists/page.js';
import { visibilityToken } from '../lists/visibility-token.js';
import type { OperationSummary } from '../schemas/operation.js';
import { translateFault } from '../temporal/fault.js';
import { shareReads } from '../temporal/shared-reads.js';
import {
  ASKING_CONDITION,
  attributeOf,
  ENDED_CONDITION,
  formatCondition,
  LATEST_RUN_CONDITION,
  listWorkflows,
  OPEN,
  pageOfWorkflows,
} from '../temporal/visibility.js';
import { listEnded, readThrough } from './ended-list.js';
import type { OperationFilter } from './operation-filter.js';
import { readProgress } from './state.js';

/** The condition of Temporal's lists that these operations fulfil. */
export function operationsWhere({ workspace, infra, kind, actor, checks, where = [] }: OperationFilter): string {
  const kinds = kind ? [kind] : OPERATION_KINDS;
  const terms = [`${SEARCH_ATTRIBUTES.kind} IN (${kinds.map(quoteValue).join(', ')})`];
  if (!checks) terms.push(...PREVIEW_PREFIXES.map((prefix) => `WorkflowId NOT STARTS_WITH ${quoteValue(prefix)}`));
  if (workspace) terms.push(formatCondition('workspace', workspace));
  if (infra) terms.push(formatCondition('infra', infra));
  if (actor) terms.push(formatCondition('actor', actor));
  return [...terms, ...where].join(' AND ');
}

/** Runs of operations that went on in a later one. */
const FORMER = "ExecutionStatus = 'ContinuedAsNew'";

/** Maximum number of operations in a cursor that wait for an answer. */
const MOST_ASKING = 500;

/**
 * The parts of a list, in their order. The last two exist only if the store has operations that ended before a time.
 */
const ASKING = 0;
const VISIBLE = 1;
const ENDED_LATELY = 2;
const IN_STORE = 3;

const place = z.strictObject({
  query: z.literal([ASKING, VISIBLE, ENDED_LATELY, IN_STORE]).describe('The part that the place is in'),
  token: visibilityToken.optional().describe("Of Temporal's list, in its parts"),
  asking: z.array(z.string().max(11)).max(MOST_ASKING).describe('Those that came before because they wait for an answer'),
  through: z.iso.datetime().optional().describe('Operations that ended before this time are listed from the store'),
  row: z.tuple([z.string(), z.string()]).optional().describe('Last row from the store: its end and its id'),
});
type Place = z.output<typeof place>;

/**
 * Lists operations: first those that wait for an answer, then the other open ones, the newest first, then the ended
 * ones by their end. Waiting operations have the reason of the wait. Temporal lists open and recently ended
 * operations. The store lists the others, even those that Temporal has deleted. Without a store, Temporal lists all.
 * An operation that ends between two pages may be listed twice, and none is omitted.
 *
 * Calls for the same page at the same time share a read.
 *
 * @throws inputError `bad-cursor`
 */
export function queryOperations(
  engine: Engine,
  filter: OperationFilter,
  asked: { after?: string | undefined; limit: number },
): Promise<Page<OperationSummary>> {
  const scope = ['operations.list', operationsWhere(filter)];
  const key = JSON.stringify([scope, filter, asked]);
  return shareReads(engine.temporal).read(key, () => readPage(engine, { filter, scope, asked }));
}

interface PageQuery {
  filter: OperationFilter;
  scope: string[];
  asked: { after?: string | undefined; limit: number };
}

async function readPage(engine: Engine, { filter, scope, asked: { after, limit } }: PageQuery): Promise<Page<OperationSummary>> {
  const at: Place = decodeCursor(scope, after, place) ?? { query: ASKING, asking: [], ...(await readThrough(engine)) };
  const [before, found] = [new Set(at.asking), new Map<string, OperationSummary>()];
  const end = at.through === undefined ? ENDED_LATELY : IN_STORE + 1;
  let visible = 0;
  try {
    while (found.size < limit && at.query < end) {
      const most = limit - found.size;
      for (const row of at.query === IN_STORE
        ? await nextEnded(engine, filter, at, most)
        : await nextVisible(engine, filter, at, most)) {
        const mark = markOf(row.operation);
        if (found.has(row.operation) || before.has(mark)) continue;
        found.set(row.operation, row);
        if (at.query === ASKING && before.size < MOST_ASKING) before.add(mark);
      }
      if (at.query !== IN_STORE) visible = found.size;
      if (at.token === undefined && at.row === undefined) at.query++;
    }
    const items = [...found.values()];
    await complete(engine, items.slice(0, visible));
    return { items, ...(at.query < end && { next: encodeCursor(scope, { ...at, asking: [...before] }) }) };
  } catch (error) {
    throw translateFault(error, 'the list of operations');
  }
}

/** The next rows of a part that Temporal lists. The place then has a token if there are more. */
async function nextVisible(engine: Engine, filter: OperationFilter, at: Place, pageSize: number): Promise<OperationSummary[]> {
  const where = [operationsWhere(filter), LATEST_RUN_CONDITION, ...conditionsOf(at)].join(' AND ');
  const { found, next } = await pageOfWorkflows(engine.temporal, where, { pageSize, token: at.token });
  if (next === undefined) delete at.token;
  else at.token = next;
  return found.map(summarize);
}

function conditionsOf({ query, through }: Place): string[] {
  if (query === ASKING) return [OPEN, ASKING_CONDITION];
  if (through === undefined) return [];
  return query === VISIBLE ? [OPEN] : [ENDED_CONDITION, `CloseTime >= '${through}'`];
}

/** The next rows of the store. The place then has the last one if there are more. */
async function nextEnded(engine: Engine, filter: OperationFilter, at: Place, limit: number): Promise<OperationSummary[]> {
  const { rows, more } = await listEnded(engine, filter, { through: at.through ?? '', after: at.row, limit });
  const last = rows.at(-1);
  if (more && last) at.row = [last.ended, last.operation];
  else delete at.row;
  return rows.map(({ operation, kind, infra, status, started, ended, actor }) => ({
    operation,
    kind: kind as OperationKind,
    infra,
    status: status as OperationStatus,
    started,
    ended,
    actor,
  }));
}

/** Returns the mark in a cursor of an operation that waits for an answer. */
const markOf = (operation: string): string => quickHash(operation);

/** Sets what each row waits for, and when the first of its runs began. */
async function complete(engine: Engine, rows: OperationSummary[]): Promise<void> {
  for (const row of rows)
    if (row.status === 'queued' || row.status === 'waiting' || row.status === 'paused')
      row.waiting = (await readProgress(engine, row.operation).catch(() => undefined))?.waiting;
  const begun = await readFirstStarts(engine, rows);
  for (const row of rows) row.started = begun.get(row.operation) ?? row.started;
}

/** Operations that one query names: Temporal's store limits the length of a query. */
const NAMED_AT_ONCE = 500;

/** When the operations began of which several runs are known (ISO time). */
export async function readFirstStarts(
  { temporal }: Pick<Engine, 'temporal'>,
  rows: readonly Pick<OperationSummary, 'operation'>[],
): Promise<Map<string, string>> {
  const begun = new Map<string, string>();
  const quoted = rows.map(({ operation }) => quoteValue(operation));
  for (let from = 0; from < quoted.length; from += NAMED_AT_ONCE) {
    const ids = quoted.slice(from, from + NAMED_AT_ONCE).join(', ');
    for await (const { workflowId, startTime } of listWorkflows(temporal, `${FORMER} AND WorkflowId IN (${ids})`)) {
      const started = startTime.toISOString();
      if (started < (begun.get(workflowId) ?? '~')) begun.set(workflowId, started);
    }
  }
  return begun;
}

/** Converts a listed workflow to a row, without the workflow's own data about its start and its wait. */
export const summarize = (info: WorkflowExecutionInfo): OperationSummary => ({
  operation: info.workflowId,
  kind: info.type as OperationKind,
  infra: attributeOf(info, 'infra'),
  status: statusOf(info),
  started: info.startTime.toISOString(),
  ended: info.closeTime?.toISOString(),
  actor: attributeOf(info, 'actor'),
});

const STANDING: ReadonlySet<string> = new Set(['queued', 'running', 'waiting', 'paused']);

/**
 * Returns the status that an operation reports, unless Temporal has its end: an operation that was ended from outside
 * still reports that it runs.
 */
function statusOf(info: WorkflowExecutionInfo): OperationStatus {
  const { name } = info.status;
  if (name === 'TERMINATED' || name === 'TIMED_OUT') return 'failed';
  if (name === 'COMPLETED') return 'done';
  const said = (attributeOf(info, 'status') || 'running') as OperationStatus;
  if (isOpen(name) || !STANDING.has(said)) return said;
  return name === 'CANCELLED' ? 'canceled' : 'failed';
}
