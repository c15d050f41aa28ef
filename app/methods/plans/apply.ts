import * as z from 'zod';
import { method } from '../../method.js';
import { CHANGE_ACTIONS, changeAction, infraOf, SUBMIT_ERRORS, submitAsked, weighAsked } from '../../operation/asked.js';
import { findPinnedPlan } from '../../plan/held-to.js';
import { appliedOperation } from '../../schemas/operation.js';

export const applyPlan = method({
  name: 'plans.apply',
  summary:
    'Start an operation that carries out the plan of this hash and no other, and return immediately. If the plan has changed since the preview, the operation fails with `plan-changed` and changes nothing',
  input: z.strictObject({
    request: appliedOperation.describe('The request that was previewed'),
    hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('Hash of the plan, from `plans.result`'),
    queue: z.boolean().optional().describe('Wait for a worker if none is running'),
  }),
  output: z.strictObject({ operation: z.string(), queued: z.literal(true).optional() }),
  permission: {
    actions: CHANGE_ACTIONS,
    action: ({ request }) => changeAction(request),
    resource: ({ request }) => infraOf(request),
  },
  errors: [...SUBMIT_ERRORS, 'plan-changed'],
  weigh: weighAsked,
  startedBefore: ({ request: { id } }) => ({ id, answer: { operation: id } }),
  async run(call, { request, hash, queue }) {
    const planned = await findPinnedPlan(call.engine, request, hash);
    return submitAsked(call, { ...request, planned }, { queue });
  },
});
