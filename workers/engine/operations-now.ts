import { Client, type Connection, isGrpcServiceError } from '@temporalio/client';
import { FAILING_CONDITION, findFailingTask } from '../../app/temporal/failing-task.js';
import { ASKING_CONDITION, attributeOf, listWorkflows, queryRunning } from '../../app/temporal/visibility.js';
import { waitsForWorkerSince } from '../../app/temporal/waits-for-worker.js';
import type { EngineStatus, ServedEngine } from '../../core/engine/engine.js';
import { SEARCH_ATTRIBUTES, STORE_ATTENTION } from '../../core/names.js';
import type { Question } from '../../core/operation/control.js';

/** Maximum number of named operations; the lists of operations have the others. */
const NAMED = 20;

/** gRPC's status of a query that names something unknown to the service. */
const INVALID_ARGUMENT = 3;

/**
 * Messages about infras whose data the store does not accept, by the attention that their entity or an operation
 * reports.
 */
const STORE: Readonly<Record<string, (infra: string) => string>> = {
  feed: (infra) =>
    `the store does not take what is done on ${infra}, and operations on it end once it does: room on its disk, or its server; see \`provisioning logs worker\``,
  'feed-refused': (infra) =>
    `the engine knows less of ${infra} than the store, and nobody is admitted there: run \`provisioning infra recover ${infra}\``,
  [STORE_ATTENTION]: (infra) =>
    `the store does not take the records of ${infra}: check its disk and its server (\`provisioning logs worker\`); operations on the infra go on as soon as it does`,
};

/**
 * Returns operations that wait for a person, for a worker and for the store. It queries Temporal itself, since there
 * may be no worker.
 */
export async function operationsNow(
  connection: Connection,
  { namespace, taskQueue }: Pick<ServedEngine, 'namespace' | 'taskQueue'>,
): Promise<Required<Pick<EngineStatus, 'asking' | 'withoutWorker' | 'problems'>>> {
  const temporal = new Client({ connection, namespace });
  const asking: NonNullable<EngineStatus['asking']> = [];
  for await (const info of listWorkflows(temporal, `${queryRunning(taskQueue)} AND ${ASKING_CONDITION}`, NAMED)) {
    if (asking.length === NAMED) break;
    const [question, infra] = [attributeOf(info, 'attention') as Question, attributeOf(info, 'infra')];
    const isBatch = attributeOf(info, 'kind') === 'batch';
    asking.push({ operation: info.workflowId, question, ...(infra && { infra }), ...(isBatch && { batch: true }) });
  }
  const withoutWorker: NonNullable<EngineStatus['withoutWorker']> = [];
  let looked = 0;
  // Entities are no work of anybody's.
  const work = `${queryRunning(taskQueue)} AND ${SEARCH_ATTRIBUTES.kind} != 'infra'`;
  for await (const { workflowId, runId } of listWorkflows(temporal, work, NAMED)) {
    if (looked++ === NAMED) break;
    const described = await connection.workflowService
      .describeWorkflowExecution({ namespace, execution: { workflowId, runId } })
      .catch(() => undefined);
    const since = described && waitsForWorkerSince(described, Date.now());
    if (since) withoutWorker.push({ operation: workflowId, since: since.toISOString() });
  }
  const problems = [...(await unkept(temporal, taskQueue)), ...(await failing(temporal, taskQueue))];
  return { asking, withoutWorker, problems };
}

/** The infras that the engine knows, as `workspace/name`. */
export async function listKnownInfras(
  connection: Connection,
  { namespace, taskQueue }: Pick<ServedEngine, 'namespace' | 'taskQueue'>,
): Promise<Set<string>> {
  const temporal = new Client({ connection, namespace });
  const known = new Set<string>();
  const entities = `${queryRunning(taskQueue)} AND ${SEARCH_ATTRIBUTES.kind} = 'infra'`;
  for await (const { workflowId } of listWorkflows(temporal, entities)) known.add(workflowId.slice('infra/'.length));
  return known;
}

/** Returns infras whose changes the store does not accept. */
async function unkept(temporal: Client, taskQueue: string): Promise<string[]> {
  const kinds = Object.keys(STORE).map((one) => `'${one}'`);
  const query = `${queryRunning(taskQueue)} AND ${SEARCH_ATTRIBUTES.attention} IN (${kinds.join(', ')})`;
  const found = new Set<string>();
  for await (const info of listWorkflows(temporal, query, NAMED)) {
    if (found.size === NAMED) break;
    const [attention = '', infra = ''] = [attributeOf(info, 'attention'), attributeOf(info, 'infra')];
    found.add(STORE[attention]?.(infra) ?? '');
  }
  return [...found];
}

/** Finds workflows that do not answer, since their tasks fail repeatedly. */
async function failing(temporal: Client, taskQueue: string): Promise<string[]> {
  const found: string[] = [];
  try {
    for await (const info of listWorkflows(temporal, `${queryRunning(taskQueue)} AND ${FAILING_CONDITION}`, NAMED)) {
      if (found.length === NAMED) break;
      const [kind, infra, why] = [attributeOf(info, 'kind'), attributeOf(info, 'infra'), findFailingTask(info)];
      const next = kind === 'infra' ? `run \`provisioning infra recover ${infra}\`` : 'see `provisioning logs worker`';
      found.push(
        `${kind === 'infra' ? infra : info.workflowId} cannot go on, its workflow task fails again and again (${why}): ${next}`,
      );
    }
  } catch (error) {
    const { cause } = error as Error;
    // A service of others may be older than this attribute.
    if (!isGrpcServiceError(cause) || cause.code !== INVALID_ARGUMENT) throw error;
  }
  return found;
}
