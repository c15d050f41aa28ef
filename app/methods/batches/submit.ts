import * as z from 'zod';
import { checkBatch, checkRequest } from '../../../core/definition/weight.js';
import { LIMITS } from '../../../core/limits.js';
import { checkNoPreviewId } from '../../../core/operation-id.js';
import type { BatchSubmission } from '../../../core/schema/batch-request.js';
import { submitBatch as submit } from '../../batch/start.js';
import { method } from '../../method.js';
import { signRequest } from '../../principal.js';
import { batchSubmission } from '../../schemas/batch.js';

/** Whether an operation of a batch deletes, or may delete or replace servers and volumes. */
const mayDestroy = ({ verb, allowDestroy }: BatchSubmission['operations'][number]): boolean =>
  verb === 'delete' || allowDestroy === true;

export const submitBatch = method({
  name: 'batches.submit',
  summary: 'Store the operations of a batch, start it and return immediately',
  input: batchSubmission,
  output: z.strictObject({ batch: z.string() }),
  permission: {
    action: 'batch:submit',
    resource: ({ workspace, operations }) => ({
      type: 'Workspace',
      id: workspace,
      ...(operations.some(mayDestroy) && { destroys: true }),
    }),
  },
  rest: { verb: 'POST', path: '/batches' },
  errors: ['operation-exists', 'preview-id'],
  weigh(input) {
    const submission = (input ?? {}) as Partial<BatchSubmission>;
    const on = String(submission.id ?? '').slice(0, 80);
    checkRequest(input, 'submit the batch', on, LIMITS.batch);
    checkBatch(submission, 'submit the batch', on);
  },
  startedBefore: ({ id }) => ({ id, answer: { batch: id } }),
  async run({ engine, principal }, submission) {
    // Ids of its operations begin with the id of the batch.
    checkNoPreviewId(submission.id, 'submit the batch');
    return submit(engine, { ...submission, ...signRequest(principal) });
  },
});
