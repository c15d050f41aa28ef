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
    of: z.string().describe('Operation that made the changes; for a roll-back, the operation that it rolled back'),
    kind,
    workspace: z.string(),
    infra: z.string(),
    left: z.int().describe('Number of changes that a roll-back undoes; 0 if there are none'),
    repairs: z.int().describe('Number of repairs that a roll-back keeps'),
    rolledBack: z
      .strictObject({ by: z.string(), at: z.string() })
      .optional()
      .describe('Earlier roll-back: its operation and time (ISO time)'),
  }),
  permission: { action: 'operation:read', resource: ({ operation }) => ({ type: 'Operation', id: operation }) },
  errors: ['unknown-operation'],
  run: ({ engine }, { operation }) => compensationsIn(engine, operation),
});
