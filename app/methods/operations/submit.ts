import * as z from 'zod';
import { checkDefinition, checkRequest } from '../../../core/definition/weight.js';
import type { OperationRequest } from '../../../core/operation/operation.js';
import { method } from '../../method.js';
import { startOperation } from '../../operation/start.js';
import { checkNoPreviewId } from '../../request/operation-id.js';
import { askedOperation } from '../../schemas/operation.js';

export const submitOperation = method({
  name: 'operations.submit',
  summary:
    'Start an operation, and return at once. Without a worker nothing is left that would run later; with `queue` it is kept for the next one, and `queued` says so',
  input: z.strictObject({
    request: askedOperation,
    queue: z.boolean().optional().describe('Wait for a worker where there is none'),
  }),
  output: z.strictObject({ operation: z.string(), queued: z.literal(true).optional() }),
  permission: {
    action: 'operation:submit',
    resource: ({ request }) => ({ type: 'Infra', id: `${request.workspace}/${request.infra}` }),
  },
  errors: ['operation-exists', 'preview-id', 'this-host-not-allowed'],
  weigh(input) {
    const { request } = (input ?? {}) as { request?: Partial<OperationRequest> };
    const on = String(request?.id ?? '').slice(0, 80);
    checkRequest(request, 'submit the operation', on);
    if (request?.definition !== undefined) checkDefinition(request.definition, 'submit the operation', on);
  },
  run({ engine, principal }, { request, queue }) {
    if (!request.check) checkNoPreviewId(request.id, 'submit the operation');
    return startOperation(engine, { ...request, actor: principal.actor }, { queue });
  },
});
