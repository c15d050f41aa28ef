import * as z from 'zod';

/* Used parts of the API's answers, from its OpenAPI file. Other fields are dropped, and may change. */

const labels = z.record(z.string(), z.string());
const id = z.int();
const base = { id, name: z.string(), labels, created: z.string() };

const location = z.object({ id, name: z.string(), city: z.string(), country: z.string(), network_zone: z.string() });

export const action = z.object({
  id,
  command: z.string(),
  status: z.enum(['running', 'success', 'error']),
  progress: z.number(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});
export type Action = z.infer<typeof action>;

const decimal = z.object({ net: z.string() });
const price = z.object({ location: z.string(), price_hourly: decimal, price_monthly: decimal });

export const serverType = z.object({
  id,
  name: z.string(),
  cores: z.number(),
  /** GB. */
  memory: z.number(),
  /** GB. */
  disk: z.number(),
  architecture: z.string(),
  prices: z.array(price),
  locations: z
    .array(z.object({ name: z.string(), deprecation: z.object({ unavailable_after: z.string() }).nullish() }))
    .default([]),
});

export const server = z.object({
  ...base,
  status: z.string(),
  locked: z.boolean(),
  server_type: z.object({ name: z.string() }),
  image: z.object({ id, name: z.string().nullable() }).nullable(),
  location: z.object({ name: z.string(), network_zone: z.string() }),
  placement_group: z.object({ id, name: z.string(), labels, servers: z.array(id) }).nullish(),
  private_net: z.array(z.object({ network: id.optional(), ip: z.string().optional() })),
  public_net: z.object({
    ipv4: z.object({ id: id.optional(), ip: z.string() }).nullable(),
    ipv6: z.object({ ip: z.string() }).nullable(),
    firewalls: z.array(z.object({ id: id.optional(), status: z.string().optional() })).default([]),
  }),
  volumes: z.array(id).default([]),
});
export type Server = z.infer<typeof server>;

export const network = z.object({
  ...base,
  ip_range: z.string(),
  servers: z.array(id),
  subnets: z.array(z.object({ ip_range: z.string().optional(), network_zone: z.string(), type: z.string() })),
});
export type Network = z.infer<typeof network>;

export const volume = z.object({ ...base, size: z.number(), server: id.nullable(), status: z.string(), linux_device: z.string() });
export type Volume = z.infer<typeof volume>;

export const rule = z.object({
  direction: z.enum(['in', 'out']),
  protocol: z.string(),
  port: z.string().nullish(),
  source_ips: z.array(z.string()).default([]),
  description: z.string().nullish(),
});
export const firewall = z.object({
  ...base,
  labels: labels.default({}),
  rules: z.array(rule),
  applied_to: z.array(z.object({ server: z.object({ id }).optional() })),
});
export type Firewall = z.infer<typeof firewall>;

export const primaryIp = z.object({
  ...base,
  ip: z.string(),
  assignee_id: id.nullable(),
  auto_delete: z.boolean(),
  location: z.object({ name: z.string() }),
});
export type PrimaryIp = z.infer<typeof primaryIp>;

export const placementGroup = z.object({ ...base, servers: z.array(id) });
export type PlacementGroup = z.infer<typeof placementGroup>;

export const sshKey = z.object({ ...base, public_key: z.string(), fingerprint: z.string() });
export type SshKey = z.infer<typeof sshKey>;

export const image = z.object({
  id,
  name: z.string().nullable(),
  description: z.string(),
  type: z.string(),
  architecture: z.string(),
  deprecated: z.string().nullable(),
});

export const zone = z.object({ id, name: z.string(), ttl: z.number() });

export const recordSet = z.object({
  name: z.string(),
  type: z.string(),
  /** Seconds; null: the default of the zone. */
  ttl: z.number().nullable(),
  records: z.array(z.object({ value: z.string() })),
});

export const pricing = z.object({
  currency: z.string(),
  server_types: z.array(z.object({ name: z.string(), prices: z.array(price) })),
  primary_ips: z.array(z.object({ type: z.string(), prices: z.array(price) })).default([]),
  volume: z.object({ price_per_gb_month: decimal }),
});

export const page = z.object({
  meta: z.object({ pagination: z.object({ next_page: z.int().nullable(), total_entries: z.int().nullable() }) }),
});

export { location };
