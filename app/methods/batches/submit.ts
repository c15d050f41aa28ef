import * as z from 'zod';
import { checkBatch, checkRequest } from '../../../core/definition/weight.js';
import { LIMITS } from '../../../core/limits.js';
import { checkNoPreviewId } from '../../../core/operation-id.js';
import type { BatchSubmission } from '../../../core/schema/batch-request.js';
import { submitBatch as submit } from '../../batch/start.js';
import { method } from '../../method.js';
import { batchSubmission } from '../../schemas/batch.js';

export const submitBatch = method({
  name: 'batches.submit',
  summary: 'Store the operations of a batch, start it and return immediately',
  input: batchSubmission,
  output: z.strictObject({ batch: z.string() }),
  permission: { action: 'batch:submit', resource: ({ workspace }) => ({ type: 'Workspace', id: workspace }) },
  errors: ['operation-exists', 'preview-id'],
  weigh(input) {
    const submission = (input ?? {}) as Partial<BatchSubmission>;
    const on = String(submission.id ?? '').slice(0, 80);
    checkRequest(input, 'submit the batch', on, LIMITS.batch);
    checkBatch(submission, 'submit the batch', on);
  },
  run({ engine, principal: { actor } }, submission) {
    // Those of its operations begin with it.
    checkNoPreviewId(submission.id, 'submit the batch');
    return submit(engine, { ...submission, actor });
  },
});
