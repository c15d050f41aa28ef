import * as z from 'zod';
import type { By } from '../../../core/operation/control.js';
import { method } from '../../method.js';
import { tellOperation } from '../../operation/control.js';
import { operationId, why } from '../../schemas/ids.js';

export const approveOperation = method({
  name: 'operations.approve',
  summary: 'Approve the plan of an operation that waits for it, or reject it',
  input: z.strictObject({ operation: operationId, approved: z.boolean().describe('false rejects it'), why }),
  output: z.void(),
  permission: { action: 'operation:approve', resource: ({ operation }) => ({ type: 'Operation', id: operation }) },
  errors: ['no-answer', 'not-waiting', 'unknown-operation'],
  run({ engine, principal }, { operation, approved, why }) {
    const verdict: By & { approved: boolean } = { actor: principal.actor, approved, why };
    return tellOperation(
      engine.temporal,
      operation,
      'approve',
      approved ? 'approve the operation' : 'reject the operation',
      verdict,
    );
  },
});
