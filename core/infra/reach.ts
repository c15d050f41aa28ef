import type { Definition, TaskservSpec } from '../definition/definition.js';
import { ANYWHERE } from '../machine/firewall.js';
import type { Connection } from '../machine/provider.js';
import { tunnelPort } from '../machine/tunnel.js';
import { parseGeneratedName } from '../taskserv/generated-names.js';
import { findSecretRefs } from '../taskserv/secret.js';
import { isGenerated } from '../taskserv/secret-reach.js';
import type { Endpoint } from '../taskserv/taskserv.js';
import type { Inventory, InventoryServer } from './inventory.js';

/** How one endpoint of a server is reached from outside the private network. */
export interface Reach {
  server: string;
  taskserv: string;
  endpoint: string;
  port: number;
  protocol: 'tcp' | 'udp';
  /** Directly: `203.0.113.7:5432`. */
  address?: string;
  /** URL of an HTTP endpoint: direct, or through the tunnel. */
  url?: string;
  /** Ranges of addresses that may come in, where not all may. */
  from?: readonly string[];
  /** Command that opens a tunnel, if the endpoint is not directly reachable. */
  tunnel?: string;
  /** Names of the passwords that were generated for it. */
  secrets?: string[];
}

/** `http of haproxy`, and `postgres` of what is called as its taskserv. */
export const endpointText = ({ taskserv, endpoint }: Pick<Reach, 'taskserv' | 'endpoint'>): string =>
  taskserv === endpoint ? taskserv : `${endpoint} of ${taskserv}`;

/** The path of the page that a person looks at; undefined of what is not spoken to over HTTP. */
export function pageOf({ name, path }: Endpoint, { endpoints }: Pick<TaskservSpec, 'endpoints'>): string | undefined {
  // The same page as without TLS.
  if (name === HTTPS && path === undefined) return endpoints.find((one) => one.name === 'http')?.path;
  return path !== undefined && name === METRICS && endpoints.length === 1 ? '/' : path;
}

const METRICS = 'metrics';
/** The name of the endpoint at which a service speaks HTTP by TLS, beside `http`. */
export const HTTPS = 'https';

/** The URL of a page. @param host in brackets if it is an IPv6 address */
export function urlOf(
  { name }: Pick<Endpoint, 'name'>,
  { host, port, path }: { host: string; port: number; path: string },
): string {
  const scheme = name === HTTPS ? HTTPS : 'http';
  return `${scheme}://${host}${port === (scheme === HTTPS ? 443 : 80) ? '' : `:${port}`}${path}`;
}

/**
 * Lists the ways to reach existing servers and services of a definition: public endpoints first, then those that
 * people use, metrics last. It uses only the record, and queries no host and no provider.
 *
 * @param options options of the tunnel commands: ` --infra shop`
 */
export function describeReach(
  { servers }: Pick<Definition, 'servers'>,
  inventory: Pick<Inventory, 'servers'>,
  options = '',
): Reach[] {
  const ranked = servers.flatMap(({ name, taskservs }) => {
    const server = inventory.servers[name];
    if (!server || server.stopped) return [];
    // A service that was deleted individually is still in the definition.
    const there = taskservs.filter((taskserv) => Object.hasOwn(server.services, taskserv.name));
    return there.flatMap((taskserv) => {
      const others = secretsReferredTo(taskserv, servers);
      return taskserv.endpoints.flatMap((endpoint) => {
        const reach = reachOfEndpoint(server, taskserv, endpoint, { options, others });
        return reach ? [{ reach, rank: rankOf(taskserv, endpoint) }] : [];
      });
    });
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ reach }) => reach);
}

/** The secrets of the services that a service refers to. */
function secretsReferredTo({ name: self, refersTo = [] }: TaskservSpec, servers: Definition['servers']): ReadonlySet<string> {
  const referred = refersTo.filter(({ taskserv }) => taskserv !== undefined && taskserv !== self);
  const specs = referred.flatMap(
    (one) => servers.find(({ name }) => name === one.server)?.taskservs.filter(({ name }) => name === one.taskserv) ?? [],
  );
  return new Set(specs.flatMap(({ config }) => findSecretRefs(config).map(({ name }) => name)));
}

/** A service that collects metrics of others shows them to people. */
function rankOf({ uses = [] }: TaskservSpec, { name, public: isPublic }: Endpoint): number {
  if (isPublic) return 0;
  return name === METRICS && !uses.includes(METRICS) ? 2 : 1;
}

function reachOfEndpoint(
  { name: server, connection }: InventoryServer,
  taskserv: TaskservSpec,
  endpoint: Endpoint,
  { options, others }: { options: string; others: ReadonlySet<string> },
): Reach | undefined {
  const { port, protocol = 'tcp', public: from } = endpoint;
  const path = pageOf(endpoint, taskserv);
  const secrets = passwordsOf(taskserv, endpoint, others);
  const host = addressOf(connection, endpoint);
  if (connection.kind === 'demo' || (host === undefined && protocol === 'udp')) return undefined;
  const at = { host: host ?? '127.0.0.1', port: host === undefined ? tunnelPort(port) : port, path: path ?? '/' };
  const url = path === undefined ? {} : { url: urlOf(endpoint, at) };
  return {
    server,
    taskserv: taskserv.name,
    endpoint: endpoint.name,
    port,
    protocol,
    ...(host === undefined ? {} : { address: `${host}:${port}` }),
    ...url,
    ...(host !== undefined && from && !ANYWHERE.every((range) => from.includes(range)) ? { from } : {}),
    ...(host === undefined ? { tunnel: `provisioning server tunnel ${server} ${port}${options}` } : {}),
    ...(secrets.length > 0 ? { secrets } : {}),
  };
}

const LOOPBACK = /^(127\.|localhost$|::1$)/;

/** The address at which it is reached without a tunnel, in brackets where it is IPv6; undefined where that is not known to be so. */
function addressOf(connection: Connection, endpoint: Endpoint): string | undefined {
  if (connection.kind === 'this') return '127.0.0.1';
  if (connection.kind !== 'ssh' || !endpoint.public || connection.jump !== undefined) return undefined;
  // SSH that is forwarded from loopback says nothing of other ports: hosts of the provider "local" publish no more.
  if (LOOPBACK.test(connection.address)) return undefined;
  return connection.address.includes(':') ? `[${connection.address}]` : connection.address;
}

/** Variables of a program: what is secret there opens none of its endpoints, as far as is known. */
const ENVIRONMENT = 'env';

/**
 * Generated secrets of a configuration: under an endpoint's name for that endpoint, others for the first endpoint that
 * is not for metrics.
 *
 * @param others secrets of the services to which it refers: it logs in with them
 */
function passwordsOf({ config, endpoints }: TaskservSpec, endpoint: Endpoint, others: ReadonlySet<string>): string[] {
  const first = endpoints.find(({ name }) => name !== METRICS);
  const names = new Set(endpoints.map(({ name }) => name));
  const isOwn = (head: string, depth: number) => (depth > 1 && names.has(head) ? head === endpoint.name : endpoint === first);
  return findSecretRefs(config)
    .filter(
      ({ name, path }) =>
        isPassword(name) && path[0] !== ENVIRONMENT && !others.has(name) && isOwn(String(path[0] ?? ''), path.length),
    )
    .map(({ name }) => name);
}

/** Keys and certificates are nothing that a person types in. */
const isPassword = (name: string): boolean => isGenerated(name) && ['password', 'token'].includes(parseGeneratedName(name).kind);
