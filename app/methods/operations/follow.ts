import * as z from 'zod';
import { choosePace } from '../../follow/choose-pace.js';
import { stateCursor } from '../../follow/state-cursor.js';
import { stream } from '../../method.js';
import { followEvents, PACE } from '../../operation/events.js';
import { operationId } from '../../schemas/ids.js';
import { operationEvent } from '../../schemas/operation.js';

export const followOperation = stream({
  name: 'operations.follow',
  summary: 'Stream events until the operation ends or waits for a person',
  input: z.strictObject({ operation: operationId, after: stateCursor }),
  output: operationEvent,
  permission: { action: 'operation:read', resource: ({ operation }) => ({ type: 'Operation', id: operation }) },
  errors: ['bad-cursor', 'unknown-operation'],
  run: (caller, { operation, after }, options) =>
    followEvents(caller.engine, operation, { after, ...options, pace: choosePace(caller, PACE) }),
});
