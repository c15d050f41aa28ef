import type { TaskservSpec } from '../../core/definition/definition.js';
import { isSecretRef } from '../../core/taskserv/secret.js';
import type { Endpoint } from '../../core/taskserv/taskserv.js';
import type { ExpandedServer } from '../expanded-server.js';
import { Fault } from '../interpolation/expression.js';
import type { Lookup } from '../interpolation/names.js';
import { didYouMean } from '../source/did-you-mean.js';
import { type Path, pathText } from '../source/problem.js';
import { isRecord } from '../source/salvage.js';

/** The services of a definition, as another one asks for them. */
export interface KnownServices {
  servers: readonly ExpandedServer['spec'][];
  /** The names of all taskservs that there are. */
  known: readonly string[];
  /** The servers that carry a taskserv. */
  carriers(taskserv: string): readonly string[];
  /** The taskservs of a server. */
  on(server: string): readonly string[];
  /** @throws Fault where that service needs the one that asks */
  spec(server: string, taskserv: string): TaskservSpec | undefined;
}

/** Service to which a configuration refers. */
export interface ServiceReference {
  server: string;
  taskserv?: string;
}

const SERVER = ['address', 'name', 'role', 'taskservs'] as const;
const SERVICE = ['address', 'config', 'endpoints', 'port', 'server'] as const;

/** The server of the referring configuration, and a callback for each reference. */
interface Asking {
  self: string;
  note(referred: ServiceReference): void;
}

/** Lookups of `servers` and `taskservs` in a configuration. */
export function createLookups(known: KnownServices, asking: Asking): Record<string, Lookup> {
  return {
    servers: (name, rest) => serverValue(known, name, rest, asking),
    taskservs: (name, rest) => {
      const servers = known.carriers(name);
      if (servers.length === 0) throw explainNoTaskserv(known, name);
      return serviceValue(known, servers, name, rest, asking);
    },
  };
}

/** That no server carries a taskserv. */
export function explainNoTaskserv(known: KnownServices, name: string): Fault {
  if (!known.known.includes(name)) return new Fault(`unknown taskserv "${name}"`, didYouMean(name, known.known));
  const there = new Set(known.servers.flatMap((server) => known.on(server.name)));
  return new Fault(`no server has the taskserv "${name}"`, didYouMean(name, there));
}

/** The server of a name. @throws Fault */
export function serverNamed({ servers }: KnownServices, name: string): ExpandedServer['spec'] {
  const found = servers.find((one) => one.name === name);
  if (found) return found;
  const numbered = servers.find(({ group }) => group === name);
  const names = servers.map((one) => one.name);
  throw new Fault(`there is no server "${name}"`, numbered ? `did you mean "${numbered.name}"?` : didYouMean(name, names));
}

function serverValue(known: KnownServices, name: string, [key, ...rest]: Path, asking: Asking): unknown {
  const server = serverNamed(known, name);
  if (key === undefined) throw new Fault(`"servers.${name}" is not a single value`, `write servers.${name}.address`);
  if (key === 'taskservs') {
    const [taskserv, ...inner] = rest;
    const there = known.on(name);
    if (taskserv === undefined) throw new Fault(`"servers.${name}.taskservs" is not a single value`, 'name one of them');
    if (!there.includes(String(taskserv)))
      throw new Fault(`the server "${name}" has no taskserv "${taskserv}"`, didYouMean(String(taskserv), there));
    return { taskservs: { [taskserv]: serviceValue(known, [name], String(taskserv), inner, asking) } };
  }
  asking.note({ server: name });
  if (key === 'address') return { address: addressOf(server, asking.self) };
  if (key === 'name' || key === 'role') return { [key]: server[key] };
  throw new Fault(`there is no "servers.${name}.${key}"`, didYouMean(String(key), SERVER));
}

const LOOPBACK = '127.0.0.1';

/**
 * Address at which hosts of the definition reach the server: its name, which stays if the address changes, or the
 * declared address. An existing machine without a private address reaches itself at loopback, where its services
 * listen.
 *
 * @param self the referring server
 */
function addressOf({ name, host }: ExpandedServer['spec'], self: string): string {
  if (!host) return name;
  const address = host.kind === 'ssh' ? host.privateAddress : undefined;
  if (address === undefined && name === self) return LOOPBACK;
  return host.kind === 'ssh' ? (address ?? host.address) : name;
}

function serviceValue(
  known: KnownServices,
  servers: readonly string[],
  taskserv: string,
  [key, ...rest]: Path,
  { self, note }: Asking,
): unknown {
  const only = servers.length === 1 ? (servers[0] as string) : undefined;
  const narrower = `servers.${servers[0]}.taskservs.${taskserv}`;
  if (key === undefined) throw new Fault(`"taskservs.${taskserv}" is not a single value`, `write taskservs.${taskserv}.port`);
  for (const server of servers) note({ server, taskserv });
  if (key === 'server' || key === 'address') {
    if (only === undefined)
      throw new Fault(
        `${servers.length} servers have the taskserv "${taskserv}"`,
        `name one of them: servers.${servers[0]}.address`,
      );
    if (key === 'server') return { server: only };
    const isLocal = only === self && mainOf(known.spec(only, taskserv)?.endpoints ?? [])?.local;
    return { address: isLocal ? LOOPBACK : addressOf(serverNamed(known, only), self) };
  }
  const values = servers.map((server) => {
    const spec = known.spec(server, taskserv);
    // The faults of an invalid configuration are already reported.
    if (spec?.config === undefined) throw new Fault();
    return specValue(spec, String(key), rest, server === self);
  });
  if (values.some((value) => JSON.stringify(value) !== JSON.stringify(values[0])))
    throw new Fault(
      `"${pathText(['taskservs', taskserv, key, ...rest])}" is not the same on all servers`,
      `name one: ${narrower}.${key}`,
    );
  return values[0];
}

const METRICS = 'metrics';

const mainOf = (endpoints: readonly Endpoint[]): Endpoint | undefined =>
  endpoints.find(({ name }) => name !== METRICS) ?? endpoints[0];

/** @param here whether who asks is on the same server, where loopback is reached */
function specValue({ name, endpoints, config }: TaskservSpec, key: string, rest: Path, here: boolean): unknown {
  const own = endpoints.filter(({ local }) => here || !local);
  if (key === 'port') {
    const main = mainOf(own);
    if (!main) throw new Fault(`"${name}" has no port that other servers can reach`);
    return { port: main.port };
  }
  if (key === 'endpoints') {
    const endpoint = endpoints.find((one) => one.name === rest[0]);
    if (!endpoint)
      throw new Fault(
        `"${name}" has no endpoint "${rest[0] ?? ''}"`,
        didYouMean(
          String(rest[0] ?? ''),
          own.map((one) => one.name),
        ),
      );
    return { endpoints: { [endpoint.name]: { port: endpoint.port } } };
  }
  if (key !== 'config') throw new Fault(`there is no "taskservs.${name}.${key}"`, didYouMean(key, SERVICE));
  refuseSecrets(config, name, rest);
  return { config };
}

/** @throws Fault where a path leads to a secret, or to something that has one */
function refuseSecrets(config: unknown, taskserv: string, rest: Path): void {
  const found = rest.reduce<unknown>(
    (inside, key) => (isObject(inside) && Object.hasOwn(inside, key) ? inside[key] : undefined),
    config,
  );
  const has = (value: unknown): boolean => isSecretRef(value) || (isObject(value) && Object.values(value).some(has));
  if (!has(found)) return;
  const path = rest.join('.');
  throw new Fault(
    `"${pathText(rest)}" of "${taskserv}" is a secret: it cannot be part of a text`,
    `write { of: ${taskserv}, path: ${path} }`,
  );
}

const isObject = (value: unknown): value is Record<string | number, unknown> => isRecord(value) || Array.isArray(value);
