import type { WorkflowExecutionInfo } from '@temporalio/client';
import { isOpen } from '../../core/engine/is-open.js';
import type { BatchStatus, BatchSummary } from '../../core/operation/batch.js';
import type { Engine } from '../engine.js';
import { faultOf } from '../temporal/fault.js';
import { attributeOf, listWorkflows, whereIs } from '../temporal/visibility.js';
import { ENDED } from './state.js';

/** The newest batches. */
export async function batchesOf({ temporal }: Engine, workspace: string | undefined, limit: number): Promise<BatchSummary[]> {
  const terms = [whereIs('kind', 'batch')];
  if (workspace) terms.push(whereIs('workspace', workspace));
  const rows: BatchSummary[] = [];
  try {
    for await (const info of listWorkflows(temporal, terms.join(' AND '), Math.min(limit, 100))) {
      if (info.status.name === 'CONTINUED_AS_NEW') continue;
      rows.push({
        batch: info.workflowId,
        status: statusOf(info),
        actor: attributeOf(info, 'actor'),
        started: info.startTime.toISOString(),
        ended: info.closeTime?.toISOString(),
      });
      if (rows.length >= limit) break;
    }
  } catch (error) {
    throw faultOf(error, 'the list of batches');
  }
  return rows;
}

/** As it says itself, unless it was ended without a word. */
function statusOf(info: WorkflowExecutionInfo): BatchStatus {
  const said = attributeOf(info, 'status') as BatchStatus;
  return isOpen(info.status.name) || ENDED.includes(said) ? said : 'failed';
}
