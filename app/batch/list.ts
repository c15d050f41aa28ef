import type { WorkflowExecutionInfo } from '@temporalio/client';
import { isOpen } from '../../core/engine/is-open.js';
import type { BatchStatus, BatchSummary } from '../../core/operation/batch.js';
import type { Engine } from '../engine.js';
import { decodeCursor, encodeCursor } from '../lists/cursor.js';
import type { Page } from '../lists/page.js';
import { visibilityToken } from '../lists/visibility-token.js';
import { translateFault } from '../temporal/fault.js';
import { attributeOf, formatCondition, LATEST_RUN_CONDITION, pageOfWorkflows } from '../temporal/visibility.js';
import { ENDED_STATUSES } from './state.js';

interface Asked {
  workspace?: string | undefined;
  filter?: { actor?: string | undefined } | undefined;
  after?: string | undefined;
  limit: number;
  /** Further conditions of Temporal's list. */
  where?: readonly string[];
}

/** The newest batches. @throws inputError `bad-cursor` */
export async function queryBatches(
  { temporal }: Engine,
  { workspace, filter, after, limit, where = [] }: Asked,
): Promise<Page<BatchSummary>> {
  const terms = [formatCondition('kind', 'batch'), LATEST_RUN_CONDITION, ...where];
  if (workspace) terms.push(formatCondition('workspace', workspace));
  if (filter?.actor) terms.push(formatCondition('actor', filter.actor));
  const scope = ['batches.list', ...terms];
  const items: BatchSummary[] = [];
  let token = decodeCursor(scope, after, visibilityToken);
  try {
    while (items.length < limit) {
      const page = await pageOfWorkflows(temporal, terms.join(' AND '), { pageSize: limit - items.length, token });
      items.push(...page.found.map(rowOf));
      token = page.next;
      if (token === undefined) return { items };
    }
  } catch (error) {
    throw translateFault(error, 'the list of batches');
  }
  return { items, ...(token !== undefined && { next: encodeCursor(scope, token) }) };
}

const rowOf = (info: WorkflowExecutionInfo): BatchSummary => ({
  batch: info.workflowId,
  status: statusOf(info),
  actor: attributeOf(info, 'actor'),
  started: info.startTime.toISOString(),
  ended: info.closeTime?.toISOString(),
});

/** Returns the status that a batch reports, unless it was ended without a report. */
function statusOf(info: WorkflowExecutionInfo): BatchStatus {
  const said = attributeOf(info, 'status') as BatchStatus;
  return isOpen(info.status.name) || ENDED_STATUSES.includes(said) ? said : 'failed';
}
