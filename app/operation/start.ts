import { type Client as Temporal, WorkflowExecutionAlreadyStartedError, WorkflowIdReusePolicy } from '@temporalio/client';
import { thisHostRefused } from '../../core/definition/this-host.js';
import { inputError } from '../../core/errors.js';
import type { OperationRequest } from '../../core/operation/operation.js';
import { detailsOf, summaryOf } from '../../core/operation/operation-summary.js';
import { attributesFrom } from '../../core/operation/search-attributes.js';
import { taskTimeoutOf } from '../../core/operation/task-timeout.js';
import type { Engine } from '../engine.js';
import { translateFault } from '../temporal/fault.js';
import { awaitBeginOrWithdraw, QUEUE_HINT } from '../temporal/worker-there.js';

/**
 * Starts an operation if a worker is there to accept it, or if the operation may wait for one.
 *
 * @throws inputError `operation-exists`, `this-host-not-allowed`; unreachableError `no-worker`
 */
export async function startOperation(
  engine: Engine,
  request: OperationRequest,
  { queue = false }: { queue?: boolean },
): Promise<{ operation: string; queued?: true }> {
  const here = request.definition?.servers.find(({ host }) => host?.kind === 'this');
  if (here && engine.allowsThisHost && !(await engine.allowsThisHost())) throw thisHostRefused(here.name);
  if (!engine.elsewhere) {
    await start(engine, engine.temporal, request);
    return { operation: request.id };
  }
  const { worker, patient } = engine.elsewhere;
  const there = await worker.isThere();
  if (!there && !queue) await worker.require('submit the operation', request.id, request.check ? undefined : QUEUE_HINT);
  await start(engine, patient, request);
  if (!there) return { operation: request.id, queued: true };
  if (!queue) await awaitBeginOrWithdraw(patient, request.id);
  return { operation: request.id };
}

async function start({ taskQueue, besideWorker = false }: Engine, temporal: Temporal, request: OperationRequest): Promise<void> {
  const { kind, workspace, infra, actor } = request;
  try {
    await temporal.workflow.start(kind, {
      workflowId: request.id,
      taskQueue,
      args: [request],
      workflowTaskTimeout: taskTimeoutOf(request),
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      requestEagerStart: besideWorker,
      // Its activities inherit it.
      ...(request.priority && { priority: { priorityKey: request.priority } }),
      typedSearchAttributes: attributesFrom({ kind, workspace, infra, actor, status: 'queued' }),
      staticSummary: summaryOf(request),
      staticDetails: detailsOf(request),
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw translateFault(error, request.id);
    throw inputError({
      code: 'operation-exists',
      what: 'submit the operation',
      on: request.id,
      why: 'this id was used before',
      hint: `provisioning workflow status ${request.id}`,
    });
  }
}
