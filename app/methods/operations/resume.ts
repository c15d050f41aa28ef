import * as z from 'zod';
import { method } from '../../method.js';
import { sendToOperation } from '../../operation/control.js';
import { operationId, why } from '../../schemas/ids.js';

export const resumeOperation = method({
  name: 'operations.resume',
  summary: 'Resume a paused operation',
  input: z.strictObject({ operation: operationId, why }),
  output: z.void(),
  permission: { action: 'operation:resume', resource: ({ operation }) => ({ type: 'Operation', id: operation }) },
  errors: ['no-answer', 'not-paused', 'not-running', 'unknown-operation'],
  run: ({ engine, principal }, { operation, why }) =>
    sendToOperation(engine.temporal, operation, 'resume', 'resume the operation', { actor: principal.actor, why }),
});
