import * as z from 'zod';
import { choosePace } from '../../follow/choose-pace.js';
import { stream } from '../../method.js';
import { followLogs, LOG_PACE } from '../../operation/follow-logs.js';
import { operationId } from '../../schemas/ids.js';
import { logEntry } from '../../schemas/operation.js';

export const followLogsOfOperation = stream({
  name: 'operations.followLogs',
  summary: 'Stream the output of hosts during an operation as it comes, until the operation ends',
  input: z.strictObject({
    operation: operationId,
    server: z.string().optional().describe('Only of this server'),
    taskserv: z.string().optional().describe('Only of this taskserv'),
    after: z.string().min(1).max(64_000).optional().describe('The cursor of the last known event'),
  }),
  output: logEntry.extend({
    cursor: z.string(),
    again: z.literal(true).optional().describe('It was tried again: its output begins again with this text'),
  }),
  permission: { action: 'operation:read-logs', resource: ({ operation }) => ({ type: 'Operation', id: operation }) },
  rest: { verb: 'GET', path: '/operations/{operation}/logs/follow' },
  errors: ['bad-cursor', 'unknown-operation'],
  run: (caller, { operation, ...asked }, options) =>
    followLogs(caller.engine, operation, { ...asked, ...options, pace: choosePace(caller, LOG_PACE) }),
});
