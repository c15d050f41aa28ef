import type { Definition, ServerSpec, TaskservSpec } from '../definition/definition.js';
import type { Connection } from '../machine/provider.js';
import type { Endpoint } from '../taskserv/taskserv.js';
import type { Inventory, InventoryServer } from './inventory.js';
import { HTTPS, pageOf, urlOf } from './reach.js';

/** A server, as outputs and other infras may name what is known of it; what is not known yet is null. */
export interface ServerView {
  name: string;
  role: string;
  provider: string;
  plan: string;
  zone: string | null;
  id: string | null;
  /** From where it is reached by who is not on its network, as far as it has such an address. */
  address: string | null;
  privateAddress: string | null;
  taskservs: Record<string, ServiceView>;
}

/** A service; what differs between the servers that have it is null. */
export interface ServiceView {
  server: string | null;
  address: string | null;
  port: number | null;
  url: string | null;
  version: string;
  endpoints: Record<string, { port: number; url: string | null }>;
}

/** An infra, by the names that expressions use. */
export interface InventoryView {
  servers: Record<string, ServerView>;
  taskservs: Record<string, ServiceView>;
}

/**
 * Creates the view of a definition, with the addresses of existing servers. @param inventory absent: nothing exists
 * yet
 */
export function createView({ servers }: Pick<Definition, 'servers'>, inventory?: Pick<Inventory, 'servers'>): InventoryView {
  const there = Object.entries(inventory?.servers ?? {});
  const byName = new Map(there);
  const views = servers.map((spec) => [spec.name, serverView(spec, byName.get(spec.name))] as const);
  const services = new Map<string, ServiceView[]>();
  for (const [, { taskservs }] of views)
    for (const [name, service] of Object.entries(taskservs)) services.set(name, [...(services.get(name) ?? []), service]);
  return {
    servers: Object.fromEntries(views),
    taskservs: Object.fromEntries([...services].map(([name, all]) => [name, common(all)])),
  };
}

function serverView(spec: ServerSpec, found: InventoryServer | undefined): ServerView {
  const { address, privateAddress } = found ? addressesOf(found.name, found.connection) : { address: null, privateAddress: null };
  const { name, role, provider, plan, zone } = spec;
  const taskservs = spec.taskservs.map((taskserv) => [taskserv.name, serviceView(name, address, taskserv)]);
  const id = found?.id ?? null;
  return {
    name,
    role,
    provider,
    plan: plan.name,
    zone: zone ?? null,
    id,
    address,
    privateAddress,
    taskservs: Object.fromEntries(taskservs),
  };
}

const LOOPBACK = /^(127\.|localhost$|::1$)/;

/** SSH that is forwarded from loopback says nothing of where the machine is: then it is where its network has it. */
function addressesOf(name: string, connection: Connection): { address: string; privateAddress: string | null } {
  // The demo makes no machine, and knows its servers by their names.
  if (connection.kind === 'demo') return { address: name, privateAddress: name };
  if (connection.kind === 'this') return { address: '127.0.0.1', privateAddress: null };
  const privateAddress = connection.privateAddress ?? null;
  return {
    address: LOOPBACK.test(connection.address) ? (privateAddress ?? connection.address) : connection.address,
    privateAddress,
  };
}

function serviceView(server: string, address: string | null, taskserv: TaskservSpec): ServiceView {
  const own = taskserv.endpoints.filter(({ local }) => !local);
  const main = own.find(({ name }) => name !== 'metrics') ?? own[0];
  // A service with TLS sends browsers that come without it there.
  const secure = main?.name === 'http' ? own.find(({ name }) => name === HTTPS) : undefined;
  const urlAt = (endpoint: Endpoint): string | null => {
    const path = pageOf(endpoint, taskserv);
    if (path === undefined || address === null) return null;
    return urlOf(endpoint, { host: address.includes(':') ? `[${address}]` : address, port: endpoint.port, path });
  };
  return {
    server,
    address,
    port: main?.port ?? null,
    url: main ? urlAt(secure ?? main) : null,
    version: taskserv.version,
    endpoints: Object.fromEntries(own.map((endpoint) => [endpoint.name, { port: endpoint.port, url: urlAt(endpoint) }])),
  };
}

/** Values of a service that are the same on all its servers. */
function common(all: readonly ServiceView[]): ServiceView {
  const [first, ...others] = all as [ServiceView, ...ServiceView[]];
  const same = <K extends keyof ServiceView>(key: K) => (others.every((one) => one[key] === first[key]) ? first[key] : null);
  const endpoints = Object.entries(first.endpoints).flatMap(([name, { port, url }]) =>
    others.every((one) => one.endpoints[name]?.port === port)
      ? [[name, { port, url: others.every((one) => one.endpoints[name]?.url === url) ? url : null }] as const]
      : [],
  );
  return {
    server: same('server'),
    address: same('address'),
    port: same('port'),
    url: same('url'),
    version: first.version,
    endpoints: Object.fromEntries(endpoints),
  };
}

/** Returns the single value at a path of a view; null if it is unknown or missing. */
export function readInside(view: InventoryView, path: readonly string[]): string | number | boolean | null {
  let inside: unknown = view;
  for (const key of path) {
    if (typeof inside !== 'object' || inside === null || !Object.hasOwn(inside, key)) return null;
    inside = (inside as Record<string, unknown>)[key];
  }
  return typeof inside === 'string' || typeof inside === 'number' || typeof inside === 'boolean' ? inside : null;
}
