import * as z from 'zod';
import type { Controller } from '../../../core/operation/control.js';
import { method } from '../../method.js';
import { sendToOperation } from '../../operation/control.js';
import { operationId, why } from '../../schemas/ids.js';

const plan = z
  .string()
  .regex(/^[0-9a-f]{16,64}$/)
  .optional()
  .describe('Hash of the approved plan (`planHash`), or at least its first 16 characters; another plan is not approved');

export const approveOperation = method({
  name: 'operations.approve',
  summary: 'Approve the plan of an operation that waits for it, or reject it',
  input: z.strictObject({ operation: operationId, approved: z.boolean().describe('false rejects it'), plan, why }),
  output: z.void(),
  permission: { action: 'operation:approve', resource: ({ operation }) => ({ type: 'Operation', id: operation }) },
  errors: ['no-answer', 'not-waiting', 'plan-changed', 'unknown-operation'],
  run({ engine, principal }, { operation, approved, plan, why }) {
    const verdict: Controller & { approved: boolean; plan?: string } = { actor: principal.actor, approved, plan, why };
    return sendToOperation(
      engine.temporal,
      operation,
      'approve',
      approved ? 'approve the operation' : 'reject the operation',
      verdict,
    );
  },
});
