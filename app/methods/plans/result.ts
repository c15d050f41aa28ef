import * as z from 'zod';
import { method } from '../../method.js';
import { planOfPreview } from '../../plan/plan-of-preview.js';
import { operationId } from '../../schemas/ids.js';
import { plan } from '../../schemas/plan.js';

export const resultOfPlan = method({
  name: 'plans.result',
  summary: 'Wait for the end of a preview, and return its plan with the hash that `plans.apply` takes',
  input: z.strictObject({
    operation: operationId.describe('The preview, as `plans.preview` returned it'),
    cost: z.boolean().optional().describe('Ask the providers for prices, and return the change in cost'),
  }),
  output: plan,
  permission: { action: 'operation:read', resource: ({ operation }) => ({ type: 'Operation', id: operation }) },
  rest: { verb: 'GET', path: '/plans/{operation}' },
  errors: ['unknown-operation'],
  run: (call, { operation, cost }, { signal }) => planOfPreview(call, operation, { cost, signal }),
});
