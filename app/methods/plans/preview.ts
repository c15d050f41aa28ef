import * as z from 'zod';
import { previewIdOf } from '../../../core/operation-id.js';
import { method } from '../../method.js';
import { chooseId, infraOf, SUBMIT_ERRORS, submitAsked, weighAsked } from '../../operation/asked.js';
import { askedOperation } from '../../schemas/operation.js';

export const previewPlan = method({
  name: 'plans.preview',
  summary:
    'Start the preview of a request, and return its id immediately. The preview changes nothing. `operations.follow` streams its events, and `plans.result` returns its plan',
  input: z.strictObject({ request: askedOperation }),
  output: z.strictObject({ operation: z.string().describe('The preview. Its id is derived from the id of the request') }),
  permission: { action: 'operation:preview', resource: ({ request }) => infraOf(request) },
  rest: { verb: 'POST', path: '/plans' },
  errors: SUBMIT_ERRORS.filter((code) => code !== 'preview-id'),
  weigh: weighAsked,
  startedBefore({ request }, seed) {
    const id = previewIdOf(chooseId(request, seed));
    return { id, answer: { operation: id } };
  },
  async run(call, { request }, { seed }) {
    const id = previewIdOf(chooseId(request, seed));
    const { operation } = await submitAsked(call, { ...request, id, check: true });
    return { operation };
  },
});
