import { Client, type Connection } from '@temporalio/client';
import { attributeOf, listWorkflows, runningOn } from '../../app/temporal/visibility.js';
import { waitsForWorkerSince } from '../../app/temporal/waits-for-worker.js';
import type { EngineStatus, Served } from '../../core/engine/engine.js';
import { SEARCH_ATTRIBUTES } from '../../core/names.js';
import type { Question } from '../../core/operation/control.js';

const QUESTIONS = ['decision', 'undo', 'approval', 'cancel'] as const satisfies Question[];
/** At most so many are named; the lists of operations have the others. */
const NAMED = 20;

/** Operations that wait for a person, and those that nobody takes up; asked of Temporal itself, since there may be no worker. */
export async function operationsNow(
  connection: Connection,
  { namespace, taskQueue }: Pick<Served, 'namespace' | 'taskQueue'>,
): Promise<Required<Pick<EngineStatus, 'asking' | 'withoutWorker'>>> {
  const temporal = new Client({ connection, namespace });
  const asking: NonNullable<EngineStatus['asking']> = [];
  const questions = QUESTIONS.map((one) => `'${one}'`).join(', ');
  const query = `${runningOn(taskQueue)} AND ${SEARCH_ATTRIBUTES.attention} IN (${questions})`;
  for await (const info of listWorkflows(temporal, query, NAMED)) {
    if (asking.length === NAMED) break;
    const [question, infra] = [attributeOf(info, 'attention') as Question, attributeOf(info, 'infra')];
    const isBatch = attributeOf(info, 'kind') === 'batch';
    asking.push({ operation: info.workflowId, question, ...(infra && { infra }), ...(isBatch && { batch: true }) });
  }
  const withoutWorker: NonNullable<EngineStatus['withoutWorker']> = [];
  let looked = 0;
  // Entities are no work of anybody's.
  const work = `${runningOn(taskQueue)} AND ${SEARCH_ATTRIBUTES.kind} != 'infra'`;
  for await (const { workflowId, runId } of listWorkflows(temporal, work, NAMED)) {
    if (looked++ === NAMED) break;
    const described = await connection.workflowService
      .describeWorkflowExecution({ namespace, execution: { workflowId, runId } })
      .catch(() => undefined);
    const since = described && waitsForWorkerSince(described, Date.now());
    if (since) withoutWorker.push({ operation: workflowId, since: since.toISOString() });
  }
  return { asking, withoutWorker };
}
