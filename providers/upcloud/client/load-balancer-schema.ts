import * as z from 'zod';
import { plainLabels, plainLabelsToWrite } from './wire.js';

/** The vendor's documentation describes the fields; unknown fields are kept. */
const times = { created_at: z.string().optional(), updated_at: z.string().optional() };
const status = z.enum(['started', 'stopped']);

const member = {
  name: z.string(),
  /** `static` has an address; `dynamic` is looked up by the backend's resolver. */
  type: z.string(),
  enabled: z.boolean(),
  ip: z.string().optional(),
  port: z.number().optional(),
  weight: z.number(),
  max_sessions: z.number(),
};

const resolver = {
  name: z.string(),
  nameservers: z.array(z.string()),
  retries: z.number(),
  timeout: z.number(),
  timeout_retry: z.number(),
  cache_valid: z.number(),
  cache_invalid: z.number(),
};

const properties = z.record(z.string(), z.unknown());
const matcher = z.looseObject({ type: z.string(), inverse: z.boolean().optional() });
const action = z.looseObject({ type: z.string() });
const named = z.looseObject({ name: z.string() });

const rule = { name: z.string(), priority: z.number(), matchers: z.array(matcher), actions: z.array(action) };

const backend = { name: z.string(), resolver: z.string().optional(), properties: properties.optional() };

const frontend = {
  name: z.string(),
  mode: z.enum(['http', 'tcp']),
  port: z.number(),
  default_backend: z.string(),
  networks: z.array(named).optional(),
  properties: properties.optional(),
};

const network = {
  name: z.string(),
  /** `public` or `private`. */
  type: z.string(),
  family: z.string().optional(),
  /** UUID of a private one. */
  uuid: z.string().optional(),
};

const service = {
  name: z.string(),
  plan: z.string(),
  zone: z.string(),
  configured_status: z.string(),
  network_uuid: z.string().optional(),
  maintenance_dow: z.string().optional(),
  maintenance_time: z.string().optional(),
};

export const foundMember = z.looseObject({ ...member, ...times });
export const foundResolver = z.looseObject({ ...resolver, ...times });
export const foundRule = z.looseObject({ ...rule, ...times });
export const foundBackend = z.looseObject({ ...backend, ...times, members: z.array(foundMember) });
export const foundFrontend = z.looseObject({ ...frontend, mode: z.string(), ...times, rules: z.array(foundRule) });
export const foundNetwork = z.looseObject({ ...network, ...times, dns_name: z.string().optional() });
export const foundLoadBalancer = z.looseObject({
  ...service,
  ...times,
  uuid: z.string(),
  /** `pending`, `setup-…`, `running`, `delete-…`. */
  operational_state: z.string(),
  dns_name: z.string().optional(),
  labels: plainLabels.optional(),
  backends: z.array(foundBackend),
  frontends: z.array(foundFrontend),
  resolvers: z.array(foundResolver),
  networks: z.array(foundNetwork),
  nodes: z.array(z.looseObject({ operational_state: z.string() })).optional(),
});
export const foundPlan = z.looseObject({ name: z.string(), per_server_max_sessions: z.number(), server_number: z.number() });

export const memberToWrite = z.strictObject(member);
export const resolverToWrite = z.strictObject(resolver);
export const ruleToWrite = z.strictObject(rule);
export const backendToWrite = z.strictObject({ ...backend, members: z.array(memberToWrite) });
export const frontendToWrite = z.strictObject({ ...frontend, rules: z.array(ruleToWrite).optional() });
export const networkChange = z.strictObject({ name: z.string() });
export const loadBalancerToWrite = z.strictObject({
  ...service,
  configured_status: status,
  labels: plainLabelsToWrite.optional(),
  backends: z.array(backendToWrite),
  frontends: z.array(frontendToWrite),
  resolvers: z.array(resolverToWrite),
  /** Instead of `network_uuid`. */
  networks: z.array(z.strictObject(network)).optional(),
});
export const loadBalancerChange = loadBalancerToWrite
  .pick({ name: true, plan: true, configured_status: true, labels: true, maintenance_dow: true, maintenance_time: true })
  .partial();

export type LoadBalancer = z.output<typeof foundLoadBalancer>;
export type LoadBalancerCreate = z.output<typeof loadBalancerToWrite>;
