import * as z from 'zod';
import { isForgotten } from '../../locate.js';
import { method } from '../../method.js';
import { readProgress } from '../../operation/state.js';
import { operationId } from '../../schemas/ids.js';
import { progress } from '../../schemas/operation.js';

export const progressOfOperation = method({
  name: 'operations.progress',
  summary: 'Show the state of an operation, or its result',
  input: z.strictObject({ operation: operationId }),
  output: progress,
  permission: { action: 'operation:read', resource: ({ operation }) => ({ type: 'Operation', id: operation }) },
  rest: { verb: 'GET', path: '/operations/{operation}' },
  errors: ['unknown-operation'],
  run: ({ engine }, { operation }, { located }) => readProgress(engine, operation, isForgotten(located)),
});
