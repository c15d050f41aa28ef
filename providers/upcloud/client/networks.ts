import * as z from 'zod';
import { type LabelFilter, labelQuery } from './filters.js';
import { type CallOptions, type Http, segment } from './http.js';
import { createListSchema, envelope, plainLabels, plainLabelsToWrite, yesNo } from './wire.js';

const routes = { exclude_by_source: z.array(z.string()).optional(), filter_by_destination: z.array(z.string()).optional() };
const population = { enabled: yesNo, ...routes, filter_by_route_type: z.array(z.string()).optional() };

const ranges = {
  /** CIDR. */
  address: z.string(),
  family: z.string(),
  dhcp: yesNo,
  dhcp_default_route: yesNo.optional(),
  dhcp_dns: z.array(z.string()).optional(),
  dhcp_routes: z.array(z.string()).optional(),
  dhcp_bootfile_url: z.string().optional(),
  gateway: z.string().optional(),
};

const ipNetwork = z.looseObject({
  ...ranges,
  dhcp_routes_configuration: z.looseObject({ effective_routes_auto_population: z.looseObject(population).optional() }).optional(),
});

const network = z.looseObject({
  uuid: z.string(),
  name: z.string(),
  /** `private`, `public` or `utility`. */
  type: z.string(),
  zone: z.string(),
  ip_networks: createListSchema('ip_network', ipNetwork),
  labels: plainLabels.optional(),
  /** UUID. */
  router: z.string().optional(),
  /** Servers with an interface in it. */
  servers: createListSchema('server', z.looseObject({ uuid: z.string(), title: z.string().optional() })).optional(),
});
export type Network = z.output<typeof network>;

const ipNetworkToWrite = z.strictObject({
  ...ranges,
  dhcp_routes_configuration: z.strictObject({ effective_routes_auto_population: z.strictObject(population).optional() }).optional(),
});

const networkCreate = z.strictObject({
  name: z.string(),
  zone: z.string(),
  ip_networks: createListSchema('ip_network', ipNetworkToWrite),
  labels: plainLabelsToWrite.optional(),
  router: z.string().optional(),
});
export type NetworkCreate = z.output<typeof networkCreate>;

/** `router: null` detaches it from its router. */
const networkChange = networkCreate.omit({ zone: true, router: true }).partial().extend({ router: z.string().nullish() });
export type NetworkModify = z.output<typeof networkChange>;

const one = envelope('network', network);
const at = (uuid: string) => `/network/${segment(uuid)}`;

export function createNetworkCalls(http: Http) {
  return {
    /** Includes UpCloud's public and utility networks, unless labels are given. */
    async list({ zone, labels }: { zone?: string; labels?: readonly LabelFilter[] } = {}, options?: CallOptions) {
      const query = [...(zone ? [['zone', zone] as const] : []), ...labelQuery(labels)];
      const answer = envelope('networks', createListSchema('network', network));
      // The recordings have the slash only with a zone and without labels.
      const path = zone && !labels?.length ? '/network/' : '/network';
      return (await http.send('GET', path, { query, answer, options })).networks;
    },

    async read(uuid: string, options?: CallOptions) {
      return (await http.send('GET', at(uuid), { answer: one, options })).network;
    },

    async create(wanted: NetworkCreate, options?: CallOptions) {
      const body = { network: z.encode(networkCreate, wanted) };
      return (await http.send('POST', '/network/', { body, answer: one, options })).network;
    },

    async modify(uuid: string, changes: NetworkModify, options?: CallOptions) {
      const body = { network: z.encode(networkChange, changes) };
      return (await http.send('PUT', at(uuid), { body, answer: one, options })).network;
    },

    /** Deletes a network without interfaces of servers. */
    delete: (uuid: string, options?: CallOptions) => http.tell('DELETE', at(uuid), { options }),
  };
}
