import * as z from 'zod';
import type { CostPreview } from '../../core/machine/cost-preview.js';
import { quotaUse } from '../limits/quota/quota-schemas.js';
import { cost, serverCost } from './cost.js';
import { operationResult } from './operation.js';
import { typeSchema } from './typed.js';

const text = z.string();
const costPreview = typeSchema<CostPreview>()(
  z.strictObject({
    changes: z.array(z.strictObject({ server: text, before: serverCost.optional(), after: serverCost.optional() })),
    difference: z.array(cost).optional().describe('By currency; absent if a price is not known'),
  }),
);

/** Result of a preview. */
export const plan = z.strictObject({
  result: operationResult.describe('The preview; its `plan` has the steps in order'),
  hash: text.optional().describe('Hash of the plan; absent if the preview failed'),
  places: z
    .array(
      z.strictObject({
        on: text.describe('Server, or network/NAME'),
        steps: z.array(z.int()).describe('Indexes of its steps in the plan'),
        destroys: z.literal(true).optional(),
      }),
    )
    .describe('The steps of each server'),
  destroys: z.array(text).describe('Everything that the plan destroys, for `allowDestroy`'),
  quota: z.array(quotaUse).optional().describe('Use of each quota with the plan; absent without quotas'),
  cost: costPreview.optional().describe('Absent if no paid resource changes'),
});
export type Plan = z.output<typeof plan>;
