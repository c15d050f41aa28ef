import * as z from 'zod';
import { method } from '../../method.js';
import { operationId } from '../../schemas/ids.js';
import { logEntry } from '../../schemas/operation.js';

export const logsOfOperation = method({
  name: 'operations.logs',
  summary: 'Return the output of hosts during an operation',
  input: z.strictObject({ operation: operationId, server: z.string().optional(), taskserv: z.string().optional() }),
  output: z.array(logEntry),
  permission: { action: 'operation:read-logs', resource: ({ operation }) => ({ type: 'Operation', id: operation }) },
  rest: { verb: 'GET', path: '/operations/{operation}/logs' },
  errors: [],
  async run({ engine }, { operation, server, taskserv }) {
    const entries = await engine.stores.logs.read(operation);
    return entries.filter((entry) => (!server || entry.server === server) && (!taskserv || entry.taskserv === taskserv));
  },
});
