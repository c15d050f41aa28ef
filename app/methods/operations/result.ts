import * as z from 'zod';
import { method } from '../../method.js';
import { awaitOperationResult } from '../../operation/state.js';
import { operationId } from '../../schemas/ids.js';
import { operationResult } from '../../schemas/operation.js';

export const resultOfOperation = method({
  name: 'operations.result',
  summary: 'Wait for the end of an operation',
  input: z.strictObject({ operation: operationId }),
  output: operationResult,
  permission: { action: 'operation:read', resource: ({ operation }) => ({ type: 'Operation', id: operation }) },
  errors: ['unknown-operation'],
  run: ({ engine }, { operation }, { signal }) => awaitOperationResult(engine, operation, signal),
});
