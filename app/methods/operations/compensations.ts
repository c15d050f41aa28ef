import * as z from 'zod';
import { method } from '../../method.js';
import { compensationsIn } from '../../operation/compensations.js';
import { operationId } from '../../schemas/ids.js';
import { kind } from '../../schemas/operation.js';

export const compensationsOfOperation = method({
  name: 'operations.compensations',
  summary: 'What an ended operation left that can be rolled back, also where Temporal has forgotten it',
  input: z.strictObject({ operation: operationId }),
  output: z.strictObject({
    kind,
    workspace: z.string(),
    infra: z.string(),
    left: z.int().describe('How many things can be undone; 0: nothing is to be undone'),
  }),
  permission: { action: 'operation:read', resource: ({ operation }) => ({ type: 'Operation', id: operation }) },
  errors: ['unknown-operation'],
  run: ({ engine }, { operation }) => compensationsIn(engine, operation),
});
