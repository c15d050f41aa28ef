import * as z from 'zod';
import { checkDefinition, checkRequest } from '../../../core/definition/weight.js';
import type { Controller } from '../../../core/operation/control.js';
import { method } from '../../method.js';
import { sendToOperation } from '../../operation/control.js';
import { operationId, why } from '../../schemas/ids.js';
import { definition } from '../../schemas/operation.js';

export const decideOperation = method({
  name: 'operations.decide',
  summary: 'Answer an operation that waits after a failure; a retry can include another definition',
  input: z.strictObject({
    operation: operationId,
    decision: z.enum(['retry', 'skip', 'rollback', 'keep']),
    why,
    definition: definition.optional(),
  }),
  output: z.void(),
  permission: { action: 'operation:decide', resource: ({ operation }) => ({ type: 'Operation', id: operation }) },
  errors: ['cannot-skip', 'no-answer', 'no-input-taken', 'not-waiting', 'unknown-operation'],
  weigh(input) {
    const asked = (input ?? {}) as { operation?: unknown; definition?: unknown };
    const on = String(asked.operation ?? '').slice(0, 80);
    checkRequest(input, 'answer the operation', on);
    if (asked.definition !== undefined) checkDefinition(asked.definition, 'answer the operation', on);
  },
  run({ engine, principal }, { operation, ...answer }) {
    const by: Controller = { ...answer, actor: principal.actor };
    return sendToOperation(engine.temporal, operation, 'decide', `answer "${answer.decision}"`, by);
  },
});
