import * as z from 'zod';
import type { Cost, CostPart, ServerCost } from '../../core/machine/cost.js';
import { typeSchema } from './typed.js';

const text = z.string();
const amounts = { currency: text.describe('ISO 4217'), hourly: z.number(), monthly: z.number() };
/** An amount of one currency. */
export const cost = typeSchema<Cost>()(z.strictObject(amounts));
const part = typeSchema<CostPart>()(
  z.strictObject({ ...amounts, what: z.enum(['plan', 'boot disk', 'volumes', 'public IPv4 address', 'firewall']) }),
);
const server = { server: text, provider: text, plan: text, zone: text.optional() };
/** Cost of one server, if its price is known. */
export const serverCost: z.ZodType<ServerCost, ServerCost> = z.union([
  z.strictObject({ ...server, cost, parts: z.array(part) }),
  z.strictObject({ ...server, free: z.literal(true) }),
  z.strictObject({ ...server, unknown: text.describe('Reason why the price is not known') }),
]);

/** Cost of an infra's servers. */
export const costEstimate = z.strictObject({
  infra: text,
  servers: z.array(serverCost),
  sums: z.array(cost).describe('By currency'),
  unknown: z.int().describe('Number of servers that are not in the sums, since their price is not known'),
});
