import { Client } from '@temporalio/client';
import { listWorkflows, queryRunning } from '../../../app/temporal/visibility.js';
import { SEARCH_ATTRIBUTES } from '../../../core/names.js';
import type { Home } from '../../../home/home.js';
import { useService } from '../binary/versions-of-home.js';
import { isAlive } from '../processes/process.js';
import { readRecord } from '../record.js';

/** Infras and operations that run on the queue of an installation. */
export interface RunningNow {
  infras: number;
  /** Ids of operations and batches. */
  operations: string[];
}

/** Queries Temporal for running infras and operations; undefined if Temporal cannot be queried. */
export async function findRunning(home: Home, env: NodeJS.ProcessEnv): Promise<RunningNow | undefined> {
  const record = await readRecord(home);
  if (!record || (record.server && !isAlive(record.server))) return undefined;
  const { namespace, taskQueue } = record;
  return useService(record, env, async (connection) => {
    const temporal = new Client({ connection, namespace });
    const operations: string[] = [];
    const work = `${queryRunning(taskQueue)} AND ${SEARCH_ATTRIBUTES.kind} != 'infra'`;
    for await (const { workflowId } of listWorkflows(temporal, work)) operations.push(workflowId);
    const entities = `${queryRunning(taskQueue)} AND ${SEARCH_ATTRIBUTES.kind} = 'infra'`;
    const { count } = await connection.workflowService.countWorkflowExecutions({ namespace, query: entities });
    return { infras: Number(count ?? 0), operations };
  }).catch(() => undefined);
}
