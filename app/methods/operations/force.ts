import * as z from 'zod';
import { method } from '../../method.js';
import { sendToOperation } from '../../operation/control.js';
import { operationId, why } from '../../schemas/ids.js';

export const forceOperation = method({
  name: 'operations.force',
  summary: 'Abandon the current steps of an operation that stops or rolls back; the result lists them',
  input: z.strictObject({ operation: operationId, why }),
  output: z.void(),
  permission: { action: 'operation:force', resource: ({ operation }) => ({ type: 'Operation', id: operation }) },
  errors: ['no-answer', 'not-running', 'not-stopping', 'unknown-operation'],
  run: ({ engine, principal }, { operation, why }) =>
    sendToOperation(engine.temporal, operation, 'force', 'force the operation', { actor: principal.actor, why }),
});
