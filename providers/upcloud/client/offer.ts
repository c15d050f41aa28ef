import * as z from 'zod';
import type { CallOptions, Http } from './http.js';
import { createListSchema, envelope, numeric, yesNo } from './wire.js';

const plan = z.looseObject({
  name: z.string(),
  core_number: z.number(),
  /** MiB. */
  memory_amount: z.number(),
  /** GiB; 0 for a plan without disk. */
  storage_size: z.number().optional(),
  storage_tier: z.string().optional(),
  /** GiB per month. */
  public_traffic_out: z.number().optional(),
  gpu_amount: z.number().optional(),
  gpu_model: z.string().optional(),
  family: z.string().optional(),
  /** Whether it is still on sale. */
  current_offering: yesNo.optional(),
});
export type Plan = z.output<typeof plan>;

const zone = z.looseObject({
  id: z.string(),
  description: z.string(),
  public: yesNo.optional(),
  /** Neighboring public zone of a private zone. */
  parent_zone: z.string().optional(),
});
export type Zone = z.output<typeof zone>;

const price = z.looseObject({
  /** Quantity for the price: 256 MiB, 1 plan, 1,000,000 requests. */
  amount: z.number(),
  /** Credits per hour: hundredths of the account's currency. */
  price: z.number(),
});
export type PriceItem = z.output<typeof price>;

/**
 * Reads `{ name, server_plan_1xCPU-1GB: { amount, price }, … }`, and separates prices from other fields of the zone.
 */
const priceZone = z.codec(z.looseObject({ name: z.string() }), z.custom<PriceZone>(), {
  decode: (wire) => {
    const zone: PriceZone = { name: wire.name, items: {}, others: {} };
    for (const [key, value] of Object.entries(wire)) {
      if (key === 'name') continue;
      const read = price.safeParse(value);
      if (read.success) zone.items[key] = read.data;
      else zone.others[key] = value;
    }
    return zone;
  },
  encode: ({ name, items, others }) => ({ name, ...items, ...others }),
});

export interface PriceZone {
  /** Id of the zone. */
  name: string;
  /** By product: `server_plan_2xCPU-4GB`, `storage_maxiops`, `ipv4_address`. */
  items: Record<string, PriceItem>;
  others: Record<string, unknown>;
}

const serverSize = z.looseObject({ core_number: numeric, memory_amount: numeric });

/** Creates the calls for UpCloud's offer. */
export function createOfferCalls(http: Http) {
  return {
    async plans(options?: CallOptions) {
      return (await http.send('GET', '/plan', { answer: envelope('plans', createListSchema('plan', plan)), options })).plans;
    },

    async zones(options?: CallOptions) {
      return (await http.send('GET', '/zone', { answer: envelope('zones', createListSchema('zone', zone)), options })).zones;
    },

    /** By zone. */
    async prices(options?: CallOptions) {
      return (await http.send('GET', '/price', { answer: envelope('prices', createListSchema('zone', priceZone)), options }))
        .prices;
    },

    /** Returns the possible values of a server's `timezone`: `UTC`, `Europe/Helsinki`. */
    async timezones(options?: CallOptions) {
      const answer = envelope('timezones', createListSchema('timezone', z.string()));
      return (await http.send('GET', '/timezone', { answer, options })).timezones;
    },

    /** Returns the combinations of cores and memory for servers without a plan. */
    async serverSizes(options?: CallOptions) {
      const answer = envelope('server_sizes', createListSchema('server_size', serverSize));
      return (await http.send('GET', '/server_size', { answer, options })).server_sizes;
    },
  };
}
