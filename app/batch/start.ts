import { WorkflowExecutionAlreadyStartedError, WorkflowIdReusePolicy } from '@temporalio/client';
import { inputError } from '../../core/errors.js';
import type { BatchState } from '../../core/operation/batch.js';
import { checkRequest } from '../../core/operation/check-request.js';
import { attributesFrom } from '../../core/operation/search-attributes.js';
import type { BatchOperation, BatchRequest, BatchSubmission } from '../../core/schema/batch-request.js';
import type { Engine } from '../engine.js';
import { recordBatch } from '../limits/environments/record-batch.js';
import { translateFault } from '../temporal/fault.js';

/** Operations a page. */
const PAGE = 500;

/**
 * Stores the operations of a batch, records the environments of its definitions, and starts it.
 *
 * @throws inputError `bad-request`, `operation-exists`; as `recordBatch`
 */
export async function submitBatch(
  engine: Engine,
  { operations, definitions, ...header }: BatchSubmission,
): Promise<{ batch: string }> {
  const { blobs } = engine.stores;
  const addresses = new Map<string, string>();
  for (const [key, definition] of Object.entries(definitions)) {
    checkRequest('definition', definition, { strict: true, on: key });
    addresses.set(key, await blobs.put(JSON.stringify(definition)));
  }
  const rows: BatchOperation[] = operations.map((one) =>
    one.definition ? { ...one, definition: addresses.get(one.definition) } : one,
  );
  checkRequest('batchOperations', rows, { strict: true, on: header.id });
  const pages: string[] = [];
  for (let first = 0; first < rows.length; first += PAGE) {
    pages.push(await blobs.put(JSON.stringify(rows.slice(first, first + PAGE))));
  }
  const stages: number[] = [];
  for (const { stage } of operations) stages[stage] = (stages[stage] ?? 0) + 1;
  const request = { ...header, operations: rows.length, pageSize: PAGE, pages, stages };
  checkRequest('batch', request, { strict: true, on: header.id });
  // After all checks: a batch that is refused changes nothing.
  await recordBatch(engine, { workspace: header.workspace, operations });
  return startBatch(engine, request);
}

/** @throws inputError `bad-request`, `operation-exists` */
export async function startBatch(
  { temporal, taskQueue }: Engine,
  request: BatchRequest,
  before?: BatchState,
): Promise<{ batch: string }> {
  const { id, workspace, actor, name } = request;
  checkRequest('batch', request, { strict: true, on: id });
  try {
    await temporal.workflow.start('batch', {
      workflowId: id,
      taskQueue,
      args: before ? [request, before] : [request],
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      priority: { priorityKey: 1 },
      typedSearchAttributes: attributesFrom({ workspace, actor, kind: 'batch', status: 'running' }),
      staticSummary: `Batch ${name}: ${request.operations} operations`,
      staticDetails: `Asked for by **${actor}** in workspace **${workspace}**.\n\n- Follow it: \`provisioning batch follow ${id}\`\n- Its operations: \`provisioning batch status ${id}\``,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw translateFault(error, id);
    throw inputError({
      code: 'operation-exists',
      what: 'submit the batch',
      on: id,
      why: 'this id was used before',
      hint: `provisioning batch status ${id}`,
    });
  }
  return { batch: id };
}
