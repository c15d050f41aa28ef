import type { WorkflowExecutionInfo } from '@temporalio/client';
import * as z from 'zod';
import { quickHash } from '../../core/encoding/hash.js';
import { OPERATION_KINDS, SEARCH_ATTRIBUTES } from '../../core/names.js';
import type { OperationKind, OperationStatus } from '../../core/operation/operation.js';
import { PREVIEW_PREFIXES } from '../../core/operation-id.js';
import type { Engine } from '../engine.js';
import { decodeCursor, encodeCursor } from '../lists/cursor.js';
import type { Page } from '../lists/page.js';
import { visibilityToken } from '../lists/visibility-token.js';
import type { OperationSummary } from '../schemas/operation.js';
import { translateFault } from '../temporal/fault.js';
import {
  ASKING_CONDITION,
  attributeOf,
  formatCondition,
  LATEST_RUN_CONDITION,
  listWorkflows,
  OPEN,
  pageOfWorkflows,
} from '../temporal/visibility.js';
import { readProgress } from './state.js';

/** Whose operations are meant. */
export interface OperationFilter {
  workspace?: string;
  infra?: string;
  kind?: OperationKind | undefined;
  actor?: string | undefined;
  /** Also the previews, of which each question and each `--check` makes one. */
  checks?: boolean;
  /** Further conditions of Temporal's list. */
  where?: readonly string[];
}

/** The condition of Temporal's lists that these operations fulfil. */
export function operationsWhere({ workspace, infra, kind, actor, checks, where = [] }: OperationFilter): string {
  const kinds = kind ? [kind] : OPERATION_KINDS;
  const terms = [`${SEARCH_ATTRIBUTES.kind} IN (${kinds.map((one) => `'${one}'`).join(', ')})`];
  if (!checks) terms.push(...PREVIEW_PREFIXES.map((prefix) => `WorkflowId NOT STARTS_WITH '${prefix}'`));
  if (workspace) terms.push(formatCondition('workspace', workspace));
  if (infra) terms.push(formatCondition('infra', infra));
  if (actor) terms.push(formatCondition('actor', actor));
  return [...terms, ...where].join(' AND ');
}

/** Runs of operations that went on in a later one. */
const FORMER = "ExecutionStatus = 'ContinuedAsNew'";

/** Operations that a cursor has of those that wait for an answer. */
const MOST_ASKING = 500;

/** What a cursor says: which of the queries, the place in it, and those that came before because they wait for an answer. */
const place = z.strictObject({
  query: z.union([z.literal(0), z.literal(1)]),
  token: visibilityToken.optional(),
  asking: z.array(z.string().max(11)).max(MOST_ASKING),
});

/**
 * Operations with what those wait for that wait: first those that wait for an answer, then the newest. An operation
 * that ends between two pages may come once more, and none is left out.
 *
 * @throws inputError `bad-cursor`
 */
export async function queryOperations(
  engine: Engine,
  filter: OperationFilter,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<Page<OperationSummary>> {
  const where = operationsWhere(filter);
  const scope = ['operations.list', where];
  const { asking, ...begin } = decodeCursor(scope, after, place) ?? { query: 0, asking: [] };
  const [before, rows] = [new Set(asking), new Map<string, OperationSummary>()];
  let { query, token }: { query: number; token?: string | undefined } = begin;
  try {
    while (rows.size < limit && query < 2) {
      const terms = query === 0 ? [where, OPEN, ASKING_CONDITION, LATEST_RUN_CONDITION] : [where, LATEST_RUN_CONDITION];
      const page = await pageOfWorkflows(engine.temporal, terms.join(' AND '), { pageSize: limit - rows.size, token });
      for (const info of page.found) {
        const mark = markOf(info.workflowId);
        if (rows.has(info.workflowId) || before.has(mark)) continue;
        rows.set(info.workflowId, rowOf(info));
        if (query === 0 && before.size < MOST_ASKING) before.add(mark);
      }
      token = page.next;
      if (token === undefined) query++;
    }
    const items = [...rows.values()];
    await complete(engine, items);
    return { items, ...(query < 2 && { next: encodeCursor(scope, { query, ...(token && { token }), asking: [...before] }) }) };
  } catch (error) {
    throw translateFault(error, 'the list of operations');
  }
}

/** What tells those that wait for an answer apart in a cursor. */
const markOf = (operation: string): string => quickHash(operation);

/** Sets what each row waits for, and when the first of its runs began. */
async function complete(engine: Engine, rows: OperationSummary[]): Promise<void> {
  for (const row of rows)
    if (row.status === 'queued' || row.status === 'waiting' || row.status === 'paused')
      row.waiting = (await readProgress(engine, row.operation).catch(() => undefined))?.waiting;
  const begun = await firstStarts(engine, rows);
  for (const row of rows) row.started = begun.get(row.operation) ?? row.started;
}

/** Operations that one query names: Temporal's store takes only so long a query. */
const NAMED_AT_ONCE = 500;

/** When the operations began of which several runs are known (ISO time). */
async function firstStarts({ temporal }: Engine, rows: OperationSummary[]): Promise<Map<string, string>> {
  const begun = new Map<string, string>();
  const quoted = rows.map(({ operation }) => `'${operation.replaceAll("'", "''")}'`);
  for (let from = 0; from < quoted.length; from += NAMED_AT_ONCE) {
    const ids = quoted.slice(from, from + NAMED_AT_ONCE).join(', ');
    for await (const { workflowId, startTime } of listWorkflows(temporal, `${FORMER} AND WorkflowId IN (${ids})`)) {
      const started = startTime.toISOString();
      if (started < (begun.get(workflowId) ?? '~')) begun.set(workflowId, started);
    }
  }
  return begun;
}

const rowOf = (info: WorkflowExecutionInfo): OperationSummary => ({
  operation: info.workflowId,
  kind: info.type as OperationKind,
  infra: attributeOf(info, 'infra'),
  status: statusOf(info),
  started: info.startTime.toISOString(),
  ended: info.closeTime?.toISOString(),
  actor: attributeOf(info, 'actor'),
});

/** As it says itself, unless Temporal knows of its end. */
function statusOf(info: WorkflowExecutionInfo): OperationStatus {
  if (info.status.name === 'TERMINATED') return 'failed';
  if (info.status.name === 'COMPLETED') return 'done';
  return (attributeOf(info, 'status') || 'running') as OperationStatus;
}
