import * as z from 'zod';
import type { OperationRequest } from '../../../core/operation/operation.js';
import { method } from '../../method.js';
import { operationId } from '../../schemas/ids.js';
import { operationRequest } from '../../schemas/operation.js';
import { explainWrongKind } from '../../temporal/right-kind.js';

export const requestOfOperation = method({
  name: 'operations.request',
  summary: 'Return the request that started an operation',
  input: z.strictObject({ operation: operationId }),
  output: operationRequest,
  permission: { action: 'operation:read', resource: ({ operation }) => ({ type: 'Operation', id: operation }) },
  errors: ['unknown-operation'],
  async run({ engine: { temporal } }, { operation }) {
    const { principal: _, ...request } = await temporal.workflow
      .getHandle(operation)
      .query<OperationRequest>('request')
      .catch(async (error) => Promise.reject(await explainWrongKind(temporal, error, operation, 'operation')));
    return request;
  },
});
