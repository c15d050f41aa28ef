import { isIP } from 'node:net';
import type { ServerSpec, TaskservSpec } from '../core/definition/definition.js';
import { accountIn } from '../core/machine/account.js';
import { ANYWHERE, firewallFor, publicRules, ruleText } from '../core/machine/firewall.js';
import type { AnyProvider } from '../core/machine/provider.js';
import type { Endpoint } from '../core/taskserv/taskserv.js';
import type { Assignment } from './place-taskservs.js';
import { didYouMean } from './source/did-you-mean.js';
import type { Findings } from './source/findings.js';

/** The endpoints of a taskserv, those marked that an entry declares public. */
export function markPublic(
  taskserv: string,
  endpoints: readonly Endpoint[],
  { path, public: wanted = [] }: Pick<Assignment, 'path' | 'public'>,
  findings: Findings,
): Endpoint[] {
  const from = new Map<string, readonly string[]>();
  wanted.forEach((entry, index) => {
    const { endpoint: name, from: ranges = ANYWHERE } = typeof entry === 'string' ? { endpoint: entry } : entry;
    const at = [...path, 'public', index, ...(typeof entry === 'string' ? [] : ['endpoint'])];
    const found = endpoints.find((endpoint) => endpoint.name === name);
    if (!found) {
      const known = endpoints.filter(({ local }) => !local).map((endpoint) => endpoint.name);
      findings.value(at, `"${taskserv}" has no endpoint "${name}"`, didYouMean(name, known));
    } else if (found.local) {
      const message = `the endpoint "${name}" of "${taskserv}" listens only on loopback in its configuration`;
      findings.value(at, message, 'change its configuration, or remove the endpoint');
    } else if (from.has(name)) findings.value(at, `the endpoint "${name}" is named twice`, 'join the two');
    from.set(name, ranges);
  });
  return endpoints.map((endpoint) => {
    const ranges = from.get(endpoint.name);
    return ranges ? { ...endpoint, public: ranges } : endpoint;
  });
}

/**
 * Closes endpoints that the definition does not declare public. Servers whose provider has firewalls get one. Existing
 * machines get the list of users of their endpoints. Modifies the servers.
 */
export function protectServers(servers: ServerSpec[], providers: Readonly<Record<string, AnyProvider>>): void {
  for (const server of servers) {
    if (server.host) markUses(server, servers);
    else if (providers[accountIn(server.provider).provider]?.features?.includes('firewall'))
      server.firewall = firewallFor(server.firewall ?? [], endpointsOf(server));
  }
}

const endpointsOf = ({ taskservs }: ServerSpec): Endpoint[] => taskservs.flatMap(({ endpoints }) => endpoints);

function markUses(server: ServerSpec, servers: readonly ServerSpec[]): void {
  for (const taskserv of server.taskservs) {
    const at = { server: server.name, taskserv: taskserv.name };
    taskserv.endpoints = taskserv.endpoints.map((endpoint) => {
      const users = servers.filter((other) => other !== server && !endpoint.local && other.taskservs.some(uses(endpoint, at)));
      return users.length > 0 ? { ...endpoint, usedFrom: users.flatMap(addressesOf) } : endpoint;
    });
  }
}

/** By the name of the endpoint, or since its configuration refers to the taskserv. */
const uses =
  ({ name }: Endpoint, at: { server: string; taskserv: string }) =>
  ({ uses: names, refersTo }: TaskservSpec): boolean =>
    (names?.includes(name) || refersTo?.some((one) => one.server === at.server && one.taskserv === at.taskserv)) ?? false;

/** Addresses for a packet filter, which cannot resolve names. */
const addressesOf = ({ host }: ServerSpec): string[] =>
  host?.kind === 'ssh' ? [host.privateAddress ?? host.address].filter((address) => isIP(address) !== 0) : [];

/** Gives a taskserv another configuration; what is declared public stays so, on whichever ports it is then. */
export function changeSpec(server: ServerSpec, spec: TaskservSpec, config: unknown, endpoints: readonly Endpoint[]): void {
  const former = new Set(publicRules(endpointsOf(server)).map(ruleText));
  const marks = new Map(spec.endpoints.map(({ name, public: from, usedFrom }) => [name, { public: from, usedFrom }]));
  spec.config = config;
  spec.endpoints = endpoints.map((endpoint) => {
    const { public: from, usedFrom } = marks.get(endpoint.name) ?? {};
    return { ...endpoint, ...(from && !endpoint.local ? { public: from } : {}), ...(usedFrom ? { usedFrom } : {}) };
  });
  if (!server.firewall) return;
  const written = server.firewall.filter((rule) => !former.has(ruleText(rule)));
  server.firewall = firewallFor(written, endpointsOf(server));
}
