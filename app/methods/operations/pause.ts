import * as z from 'zod';
import { method } from '../../method.js';
import { sendToOperation } from '../../operation/control.js';
import { operationId, why } from '../../schemas/ids.js';

export const pauseOperation = method({
  name: 'operations.pause',
  summary: 'Pause an operation: no new step starts until it is resumed; scripts on hosts stop between two steps',
  input: z.strictObject({ operation: operationId, why }),
  output: z.void(),
  permission: { action: 'operation:pause', resource: ({ operation }) => ({ type: 'Operation', id: operation }) },
  errors: ['already-paused', 'no-answer', 'not-running', 'unknown-operation'],
  run: ({ engine, principal }, { operation, why }) =>
    sendToOperation(engine.temporal, operation, 'pause', 'pause the operation', { actor: principal.actor, why }),
});
