import type { WorkflowExecutionInfo } from '@temporalio/client';
import { OPERATION_KINDS, SEARCH_ATTRIBUTES } from '../../core/names.js';
import type { OperationKind, OperationStatus } from '../../core/operation/operation.js';
import { PREVIEW_PREFIXES } from '../../core/operation-id.js';
import type { Engine } from '../engine.js';
import type { OperationSummary } from '../schemas/operation.js';
import { faultOf } from '../temporal/fault.js';
import { ASKING, attributeOf, listWorkflows, OPEN, whereIs } from '../temporal/visibility.js';
import { progressOf } from './state.js';

/** Whose operations are meant. */
export interface OperationFilter {
  workspace?: string;
  infra?: string;
  /** Also the previews, of which each question and each `--check` makes one. */
  checks?: boolean;
}

/** The condition of Temporal's lists that these operations fulfil. */
export function operationsWhere({ workspace, infra, checks }: OperationFilter): string {
  const terms = [`${SEARCH_ATTRIBUTES.kind} IN (${OPERATION_KINDS.map((kind) => `'${kind}'`).join(', ')})`];
  if (!checks) terms.push(...PREVIEW_PREFIXES.map((prefix) => `WorkflowId NOT STARTS_WITH '${prefix}'`));
  if (workspace) terms.push(whereIs('workspace', workspace));
  if (infra) terms.push(whereIs('infra', infra));
  return terms.join(' AND ');
}

/** Runs of operations that went on in a later one. */
const FORMER = "ExecutionStatus = 'ContinuedAsNew'";
const NOT_FORMER = "ExecutionStatus != 'ContinuedAsNew'";

/** Operations with what those wait for that wait: first those that wait for an answer, then the newest. */
export async function operationsOf(engine: Engine, filter: OperationFilter, limit: number): Promise<OperationSummary[]> {
  const rows: OperationSummary[] = [];
  const where = operationsWhere(filter);
  const known = new Set<string>();
  try {
    for (const query of [`${where} AND ${OPEN} AND ${ASKING}`, where]) {
      for await (const info of listWorkflows(engine.temporal, `${query} AND ${NOT_FORMER}`, Math.min(limit, 100))) {
        if (rows.length >= limit) break;
        if (known.has(info.workflowId)) continue;
        known.add(info.workflowId);
        const row = rowOf(info);
        if (row.status === 'queued' || row.status === 'waiting' || row.status === 'paused')
          row.waiting = (await progressOf(engine, row.operation).catch(() => undefined))?.waiting;
        rows.push(row);
      }
    }
    const begun = await firstStarts(engine, rows);
    for (const row of rows) row.started = begun.get(row.operation) ?? row.started;
  } catch (error) {
    throw faultOf(error, 'the list of operations');
  }
  return rows;
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
