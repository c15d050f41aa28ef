import { publicRules, ruleText } from '../machine/firewall.js';
import type { Endpoint } from '../taskserv/taskserv.js';
import type { Definition, ServerSpec } from './definition.js';

/** Something that is reached from outside the private network. */
export interface PublicEndpoint {
  /** Servers that are alike in this. */
  servers: string[];
  /** `http of haproxy`, `SSH`, or `a rule of its firewall`. */
  what: string;
  protocol: 'tcp' | 'udp';
  ports: string;
  /** Ranges of addresses. */
  from: readonly string[];
}

/** Endpoints of a definition that are open to the outside, with notes. */
export interface Reachable {
  public: PublicEndpoint[];
  notes: { on: string; text: string }[];
}

/** Determines the endpoints of a whole definition that are open to the outside. It queries no host and no provider. */
export function reachableOf({ servers }: Pick<Definition, 'servers'>): Reachable {
  const rows = new Map<string, PublicEndpoint>();
  for (const server of servers) {
    for (const row of openingsOf(server)) {
      const key = JSON.stringify(row);
      rows.set(key, { ...row, servers: [...(rows.get(key)?.servers ?? []), server.name] });
    }
  }
  const byGroup = new Map<string, ServerSpec>();
  for (const server of servers) if (!byGroup.has(server.group)) byGroup.set(server.group, server);
  const networks = new Set(servers.map(networkOf));
  const notes = [...byGroup.values()].flatMap((server) =>
    [...metricsNotes(server), ...existingNotes(server), ...(networks.size > 1 ? apartNotes(server, servers) : [])].map((text) => ({
      on: server.group,
      text,
    })),
  );
  return { public: [...rows.values()], notes };
}

function openingsOf({ firewall, taskservs, host }: ServerSpec): Omit<PublicEndpoint, 'servers'>[] {
  const declared = taskservs.flatMap(({ name, endpoints }) =>
    endpoints.flatMap((endpoint) =>
      endpoint.public
        ? [
            {
              what: `${endpoint.name} of ${name}`,
              protocol: endpoint.protocol ?? ('tcp' as const),
              ports: String(endpoint.port),
              from: endpoint.public,
            },
          ]
        : [],
    ),
  );
  const known = new Set(taskservs.flatMap(({ endpoints }) => publicRules(endpoints)).map(ruleText));
  const written = (firewall ?? []).flatMap(({ protocol, ports = '', ...rule }) =>
    protocol === 'icmp' || known.has(ruleText({ protocol, ports, ...rule }))
      ? []
      : [{ what: 'a rule of its firewall', protocol, ports, from: rule.from }],
  );
  const ssh = firewall && !host ? [{ what: 'SSH', protocol: 'tcp' as const, ports: '22', from: ['0.0.0.0/0', '::/0'] }] : [];
  return [...declared, ...written, ...ssh];
}

const isMetrics = ({ name }: Endpoint) => name === 'metrics';

const metricsNotes = ({ taskservs }: ServerSpec): string[] =>
  taskservs.flatMap(({ name, endpoints }) =>
    endpoints.some((endpoint) => isMetrics(endpoint) && endpoint.public)
      ? [`metrics of ${name} are public, and ask for no password`]
      : [],
  );

/** Nothing of a provider is in front of a machine that was there before. */
function existingNotes({ host, taskservs }: ServerSpec): string[] {
  if (!host || taskservs.length === 0 || taskservs.some(({ name }) => name === 'firewall')) return [];
  const exposed = taskservs.filter(({ endpoints }) => endpoints.some((one) => one.usedFrom && isMetrics(one) && !one.public));
  const known = host.kind === 'ssh' && host.privateAddress !== undefined;
  const open =
    exposed.length > 0 && !known
      ? `metrics of ${exposed.map(({ name }) => name).join(', ')} are served on all of its addresses, without a password, since other servers use them: write its privateAddress, or`
      : 'it is as open as its own firewall leaves it: where it has none,';
  return [`${open} put the taskserv firewall on it`];
}

const networkOf = ({ host, provider, network }: ServerSpec): string => (host ? 'existing' : `${provider}/${network}`);

/** Nothing passes between networks but what is public. */
function apartNotes(server: ServerSpec, servers: readonly ServerSpec[]): string[] {
  const notes = server.taskservs.flatMap(({ name, uses = [] }) =>
    servers
      .filter((other) => !other.host && networkOf(other) !== networkOf(server))
      .flatMap((other) =>
        other.taskservs.flatMap((offered) =>
          offered.endpoints
            .filter((endpoint) => uses.includes(endpoint.name) && !endpoint.public && !endpoint.local)
            .map(
              (endpoint) =>
                `${name} does not reach ${endpoint.name} of ${offered.name} on ${other.group}, which is in another network: declare it public there`,
            ),
        ),
      ),
  );
  return [...new Set(notes)];
}
