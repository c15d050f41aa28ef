import * as z from 'zod';
import { method } from '../../method.js';
import { chooseId, infraOf, SUBMIT_ACTIONS, SUBMIT_ERRORS, submitAction, submitAsked, weighAsked } from '../../operation/asked.js';
import { askedOperation } from '../../schemas/operation.js';

export const submitOperation = method({
  name: 'operations.submit',
  summary:
    'Start an operation and return immediately. Fails if no worker is running, unless `queue` is set; `queued` then reports that it waits for a worker',
  input: z.strictObject({
    request: askedOperation,
    queue: z.boolean().optional().describe('Wait for a worker if none is running'),
  }),
  output: z.strictObject({ operation: z.string(), queued: z.literal(true).optional() }),
  permission: {
    actions: SUBMIT_ACTIONS,
    action: ({ request }) => submitAction(request),
    resource: ({ request }) => infraOf(request),
  },
  rest: { verb: 'POST', path: '/operations' },
  errors: SUBMIT_ERRORS,
  weigh: weighAsked,
  startedBefore({ request }, seed) {
    const { id } = chooseId(request, seed);
    return { id, answer: { operation: id } };
  },
  run: (call, { request, queue }, { seed }) => submitAsked(call, chooseId(request, seed), { queue }),
});
