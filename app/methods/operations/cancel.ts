import * as z from 'zod';
import { method } from '../../method.js';
import { cancelOperation as cancel } from '../../operation/control.js';
import { operationId, why } from '../../schemas/ids.js';

export const cancelOperation = method({
  name: 'operations.cancel',
  summary: 'Cancel an operation after the current step; its on-failure policy decides about the completed steps',
  input: z.strictObject({ operation: operationId, why }),
  output: z.void(),
  permission: { action: 'operation:cancel', resource: ({ operation }) => ({ type: 'Operation', id: operation }) },
  errors: ['already-stopping', 'no-answer', 'not-running', 'unknown-operation'],
  run: ({ engine, principal }, { operation, why }) => cancel(engine.temporal, operation, { actor: principal.actor, why }),
});
