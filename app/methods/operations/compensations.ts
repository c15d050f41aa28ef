import * as z from 'zod';
import { method } from '../../method.js';
import { compensationsIn } from '../../operation/compensations.js';
import { operationId } from '../../schemas/ids.js';
import { kind } from '../../schemas/operation.js';

export const compensationsOfOperation = method({
  name: 'operations.compensations',
  summary: 'List the changes of an ended operation that can be rolled back, even if Temporal no longer has the operation',
  input: z.strictObject({ operation: operationId }),
  output: z.strictObject({
    of: z.string().describe('Whose work it is: of a roll-back that of the operation that it rolled back'),
    kind,
    workspace: z.string(),
    infra: z.string(),
    left: z.int().describe('How many things a roll-back undoes; 0: nothing is to be undone'),
    repairs: z.int().describe('How many things it leaves, since they only repaired what had drifted'),
    rolledBack: z
      .strictObject({ by: z.string(), at: z.string() })
      .optional()
      .describe('It was rolled back before: by which operation, and when (ISO time)'),
  }),
  permission: { action: 'operation:read', resource: ({ operation }) => ({ type: 'Operation', id: operation }) },
  errors: ['unknown-operation'],
  run: ({ engine }, { operation }) => compensationsIn(engine, operation),
});
