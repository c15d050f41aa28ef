import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadModules } from '../core/registry.js';
import { type AnyTaskserv, type Endpoint, type HostContext, type Peer, reveal } from '../sdk/index.js';
import { type Case, stepsOf } from '../sdk/testing/case.js';
import { ALL, listeningIn } from '../test/support/listening-in-plans.js';
import { taskservs } from './registry.generated.js';

/** A server that another reaches by its name, which leads to its private address, if it has one. */
const HOSTS: Record<string, Partial<HostContext>> = {
  'an address': { privateAddress: '10.0.0.5' },
  'an address of IPv6': { privateAddress: 'fd00::5' },
  'a name': { privateAddress: 'db' },
  'no private address': { existing: true },
};

type Configuration = Pick<Case, 'config' | 'version'>;

/** Configurations of a taskserv, as its cases have them, each once. */
function configurationsOf(name: string): Configuration[] {
  const folder = join(import.meta.dirname, name, 'cases');
  const cases = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Case);
  const own = cases.map(({ config = {}, version }): Configuration => ({ config, ...(version && { version }) }));
  return [...new Map(own.map((one) => [JSON.stringify(one), one])).values()];
}

/** A server of a group is its first member here, which founds it. */
function groupOn(taskserv: AnyTaskserv, { config }: Configuration, { name = 'db' }: Partial<HostContext>) {
  const isMember = taskserv.group?.of(taskserv.config.parse(config)) !== undefined;
  return isMember ? { group: { [name]: 'expected' as const } } : {};
}

/** All that the steps write and run. */
const textOf = (taskserv: AnyTaskserv, given: Configuration, host: Partial<HostContext>, peers: Peer[]): string =>
  stepsOf(taskserv, { ...given, ...groupOn(taskserv, given, host), host, peers, steps: [] })
    .map((step) =>
      'file' in step ? reveal(step.file.content, () => 'secretOfHost') : 'run' in step ? step.run : JSON.stringify(step),
    )
    .join('\n');

interface Provider {
  taskserv: string;
  given: Configuration;
  endpoints: Endpoint[];
  /** On which addresses it listens, if its configuration itself says it. */
  bound: unknown;
}

const modules = Object.entries(await loadModules(taskservs));
const providers: Provider[] = modules.flatMap(([taskserv, module]) =>
  configurationsOf(taskserv).flatMap((given): Provider[] => {
    const config = module.config.parse(given.config) as { bind?: unknown; listen?: unknown };
    const endpoints = module.endpoints?.(config) ?? [];
    return endpoints.length > 0 ? [{ taskserv, given, endpoints, bound: config.bind ?? config.listen }] : [];
  }),
);

/** How a taskserv is let use an endpoint, and how its steps say where it looks for that. */
interface Consumer {
  /** @param written address that a user writes, for consumers that take one */
  config(provider: string, endpoint: Endpoint, written: string): object;
  /** How a user may write the own server; default: the endpoint is found in the definition. */
  written?: readonly string[];
  takes?(provider: string, endpoint: Endpoint): boolean;
  /** Text before the port of the endpoint in the consumer's steps. */
  configured: RegExp;
}

const before = '(\\[[0-9a-f:]+\\]|[\\w.-]+):PORT\\b';
const balances = (taskserv: string, { name, port }: Endpoint) => ({
  backend: { taskserv, offering: name },
  port: port === 80 ? 81 : 80,
});
const CONSUMERS: Record<string, Consumer> = {
  haproxy: {
    config: (provider, endpoint) => balances(provider, endpoint),
    configured: new RegExp(`^ +server \\S+ ${before}$`, 'gm'),
  },
  varnish: {
    config: (provider, endpoint) => balances(provider, endpoint),
    configured: /\.host = "(.*)";\n\t\.port = "PORT"/g,
  },
  caddy: {
    config(provider, endpoint) {
      const { backend, port } = balances(provider, endpoint);
      return { port, sites: [{ name: 'shop', tls: 'off', backend }] };
    },
    configured: new RegExp(`reverse_proxy http://${before}`, 'g'),
  },
  prometheus: {
    config: () => ({ port: 19_090 }),
    takes: (_, { name }) => name === 'metrics' || name === 'alerts',
    configured: new RegExp(`targets: \\["${before}"\\]`, 'g'),
  },
  'redis-exporter': {
    config: () => ({}),
    takes: (provider, { name }) => provider === 'redis' && name === 'redis',
    configured: new RegExp(`REDIS_ADDR=rediss?://${before}`, 'g'),
  },
  'nginx-exporter': {
    config: () => ({}),
    takes: (provider, { name }) => provider === 'nginx' && name === 'http',
    configured: new RegExp(`scrape-uri=http://${before}`, 'g'),
  },
  rsyslog: {
    config: () => ({}),
    takes: (provider, { name }) => provider === 'rsyslog' && name === 'syslog',
    configured: /omfwd" target="(.*?)" port="PORT"/g,
  },
};

/** Notations of a server: its name, and on that server itself also loopback. */
const WRITTEN = ['db', 'localhost', '127.0.0.1'];
Object.assign(CONSUMERS, {
  pgbouncer: {
    config: (_, { port }, server) => ({
      ...{ port: 16_432, users: [{ name: 'shop', password: { $secret: 'shop' } }] },
      databases: [{ name: 'shop', server, port }],
    }),
    takes: (provider) => provider === 'postgres',
    written: WRITTEN,
    configured: /^shop = host=(\S+) port=PORT$/gm,
  },
  traefik: {
    config: (_, { port }, server) => ({ port: 19_080, routes: { shop: { to: [`http://${server}:${port}/`] } } }),
    written: WRITTEN,
    configured: new RegExp(`"url": "http://${before}/"`, 'g'),
  },
  'nginx, proxyTo': {
    config: (_, { port }, server) => ({
      port: 19_080,
      sites: [{ name: 'shop', serverName: 'shop', proxyTo: `http://${server}:${port}` }],
    }),
    written: WRITTEN,
    configured: new RegExp(`proxy_pass http://${before};`, 'g'),
  },
  'caddy, proxyTo': {
    config: (_, { port }, server) => ({
      port: 19_080,
      sites: [{ name: 'shop', tls: 'off', proxyTo: [`http://${server}:${port}`] }],
    }),
    written: WRITTEN,
    configured: new RegExp(`reverse_proxy http://${before}`, 'g'),
  },
} satisfies Record<string, Consumer>);

/** Consumers that measure only the service of their own server. */
const ONE_SERVER = ['redis-exporter', 'nginx-exporter'];

interface Pair {
  consumer: string;
  provider: Provider;
  endpoint: Endpoint;
  host: Partial<HostContext>;
  isOne: boolean;
  isPublic: boolean;
  /** The address that a user wrote. */
  written: string;
}

/** @param name of a consumer: a taskserv, and what of it */
const module = (name: string) => modules.find(([one]) => one === name.split(',')[0])?.[1] as AnyTaskserv;

/** Texts of steps, by what they follow from: a service is asked about by many others. */
const texts = new Map<string, string>();
function textOnce(name: string, given: Configuration, host: Partial<HostContext>, peers: Peer[]): string {
  const key = JSON.stringify([name, given, host, peers]);
  const known = texts.get(key) ?? textOf(module(name), given, host, peers);
  texts.set(key, known);
  return known;
}

/**
 * Endpoints of which a service does not look whether they are used: it listens where another of its endpoints is. On an
 * existing machine without a private address, whoever uses only these does not reach them. The list may only become shorter.
 */
const FOLLOWS: Readonly<Record<string, string>> = {
  // `bind` counts for both ports: for the user of TLS, the port without TLS would be open as well.
  'redis redis-tls': 'redis',
};

/** Services without which another one has no plan. */
const NEEDED: Readonly<Record<string, Peer[]>> = {
  patroni: [{ server: 'db', role: 'db', address: 'db', taskserv: 'etcd', endpoints: [{ name: 'etcd', port: 2379, local: true }] }],
};

/** Fault of the address at which a consumer expects an endpoint. Undefined if the endpoint listens there. */
function faultOf({ consumer, provider, endpoint, host, isOne, isPublic, written }: Pair): string | undefined {
  const { taskserv, given } = provider;
  const { config, configured } = CONSUMERS[consumer] as Consumer;
  const marks = { ...(isPublic && { public: ['0.0.0.0/0'] }), ...(!isOne && host.existing && { usedFrom: [] }) };
  // The other endpoints are not used. A consumer that checks only one of several endpoints of a port misses its user.
  const isUsed = (name: string) => name === endpoint.name || FOLLOWS[`${taskserv} ${endpoint.name}`] === name;
  const endpoints = provider.endpoints.map((one) => ({ ...one, ...(isUsed(one.name) && !one.local && marks) }));
  const peers = [{ server: 'db', role: 'db', address: 'db', taskserv, endpoints }];
  const asks = isOne ? { name: 'db', ...host } : { name: 'web' };
  const pattern = new RegExp(configured.source.replace('PORT', String(endpoint.port)), configured.flags);
  const found = textOnce(consumer, { config: config(taskserv, endpoint, written) }, asks, peers).matchAll(pattern);
  const looked = [...found].map(([, address = '']) => address.replace(/^\[|\]$/g, ''));
  const own = [...peers, ...(NEEDED[taskserv] ?? [])];
  const listening = listeningIn(taskserv, textOnce(taskserv, given, { name: 'db', ...host }, own), endpoint);
  const what = `${endpoint.name} of ${taskserv}`;
  if (listening.length === 0) return `where ${what} listens is not found in the steps`;
  if (endpoint.local && !isOne && CONSUMERS[consumer]?.written) return undefined;
  if (endpoint.local && !isOne) return looked.length > 0 ? `${consumer} looks for ${what}, which is local elsewhere` : undefined;
  if (looked.length === 0) return `${consumer} does not look for ${what}`;
  // By the name of the other server its private address is reached.
  const reached = (address: string) => listening.includes(address === 'db' ? (host.privateAddress ?? 'db') : address);
  if (listening.includes(ALL) || looked.every(reached)) return undefined;
  return `${consumer} looks for ${what} at ${looked.join(', ')}, which listens on ${listening.join(', ')}`;
}

/** Endpoints that only members of a group ask, by each other's names. They listen at the address of their own name. */
const AMONG_MEMBERS = [
  ...[
    'kafka controllers',
    'kafka kafka-peers',
    'kubernetes etcd-client',
    'kubernetes etcd-peers',
    'mariadb peers',
    'mariadb peers-incremental',
    'mariadb peers-transfer',
  ],
  ...['nats peers', 'rabbitmq epmd', 'rabbitmq rabbitmq-distribution', 'zookeeper elections', 'zookeeper peers'],
];

/** All pairs, once for each endpoint and each address that the provider's configuration allows. */
const pairs = Object.entries(CONSUMERS).flatMap(([consumer, { takes = () => true }]) => {
  const all = providers
    .filter(({ taskserv }) => taskserv !== consumer.split(',')[0] || consumer === 'rsyslog')
    .flatMap((provider) => provider.endpoints.map((endpoint) => ({ consumer, provider, endpoint })))
    .filter(({ provider, endpoint }) => endpoint.protocol !== 'udp' && takes(provider.taskserv, endpoint))
    .filter(({ provider, endpoint }) => !AMONG_MEMBERS.includes(`${provider.taskserv} ${endpoint.name}`));
  const keyOf = ({ provider, endpoint }: (typeof all)[number]) => JSON.stringify([provider.taskserv, provider.bound, endpoint]);
  return [...new Map(all.map((pair) => [keyOf(pair), pair])).values()];
});

describe('where a service looks for another one', () => {
  it.each(
    Object.keys(HOSTS).flatMap((host) => [
      { host, isOne: true, servers: 'on one server' },
      { host, isOne: false, servers: 'on two servers' },
    ]),
  )('is where that listens: $servers, the private address is $host', ({ host, isOne }) => {
    const asked = pairs
      .filter(({ consumer, provider }) =>
        isOne ? consumer !== 'rsyslog' : !ONE_SERVER.includes(consumer) && provider.bound === undefined,
      )
      .flatMap((pair) =>
        (pair.endpoint.local ? [false] : [false, true]).map((isPublic) => ({ ...pair, host: HOSTS[host] ?? {}, isOne, isPublic })),
      )
      .flatMap((pair) => {
        const { written = ['db'] } = CONSUMERS[pair.consumer] as Consumer;
        return (isOne ? written : ['db']).map((one) => ({ ...pair, written: one }));
      });
    expect(asked.length).toBeGreaterThan(200);
    expect([...new Set(asked.flatMap((pair) => faultOf(pair) ?? []))]).toEqual([]);
  });
});
