import * as z from 'zod';
import {
  debianVersions,
  hostName,
  type ListenAddress,
  literalAddressesOf,
  MANAGED_FILE_HEADER,
  network,
  packageService,
  port,
  resolvesNames,
  size,
} from '../../sdk/index.js';

const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fd00::/8'];

const record = z.strictObject({
  name: hostName().describe('Requested name'),
  address: z.union([z.ipv4(), z.ipv6()]).describe('Address in the answer'),
});

const config = z
  .strictObject({
    port: port(53).describe('UDP and TCP port for queries'),
    allow: z.array(network()).default(PRIVATE).describe('Clients, in addition to the host'),
    forwardTo: z
      .array(z.union([z.ipv4(), z.ipv6()]))
      .default([])
      .describe('Resolvers; without them it queries the servers of each domain itself'),
    records: z.array(record).default([]).describe('Names with fixed answers'),
    cacheSize: size('32 MiB').describe('Memory for answers, at most'),
  })
  .meta({ examples: [{ forwardTo: ['9.9.9.9'], records: [{ name: 'db.internal', address: '10.0.0.5' }] }] });

type Config = z.output<typeof config>;

function conf({ port, allow, forwardTo, records, cacheSize }: Config, listening: ListenAddress): string {
  const server = [
    // `access-control` limits the clients in any case.
    ...(literalAddressesOf(listening) ?? ['0.0.0.0']).map((address) => `interface: ${address}`),
    `port: ${port}`,
    ...['127.0.0.0/8', ...allow].map((range) => `access-control: ${range} allow`),
    // The manual recommends a record cache twice as large as the message cache.
    `msg-cache-size: ${Math.floor(cacheSize / 3)}`,
    `rrset-cache-size: ${Math.floor((cacheSize * 2) / 3)}`,
    'hide-identity: yes',
    'hide-version: yes',
    ...records.map(({ name, address }) => `local-data: "${name}. IN ${address.includes(':') ? 'AAAA' : 'A'} ${address}"`),
  ];
  const forward = ['forward-zone:', '  name: "."', ...forwardTo.map((address) => `  forward-addr: ${address}`)];
  return [MANAGED_FILE_HEADER, 'server:', ...server.map((line) => `  ${line}`), ...(forwardTo.length > 0 ? forward : []), ''].join(
    '\n',
  );
}

/** Resolver that validates answers by DNSSEC. */
export const unbound = packageService({
  name: 'unbound',
  category: 'networking',
  holds: [],
  description: 'Resolves names for the servers of a network, and validates answers with DNSSEC.',
  versions: debianVersions({ 12: '1.17', 13: '1.26' }),
  supports: { os: ['debian'] },
  conflicts: ['dnsmasq'],
  config,
  endpoints: ({ port }) => [
    { name: 'dns', port, protocol: 'udp' },
    { name: 'dns-tcp', port },
  ],
  // The key of the root, by which answers are checked.
  furtherPackages: ['dns-root-data'],
  listens: 'dns',
  files: {
    conf: { path: '/etc/unbound/unbound.conf.d/provisioning.conf', content: (config, { listening }) => conf(config, listening) },
  },
  // The key of the root, which the check asks for, is there from the first start on, or from this.
  check: '/usr/libexec/unbound-helper root_trust_anchor_update && unbound-checkconf',
  health: ({ port }) => [resolvesNames('unbound', port)],
});
