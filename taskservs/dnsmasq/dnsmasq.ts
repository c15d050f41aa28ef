import * as z from 'zod';
import {
  debianVersions,
  hostName,
  type ListenAddress,
  literalAddressesOf,
  MANAGED_FILE_HEADER,
  packageService,
  port,
  resolvesNames,
} from '../../sdk/index.js';

const address = () => z.union([z.ipv4(), z.ipv6()], { error: 'write an IPv4 or IPv6 address' });

const config = z
  .strictObject({
    port: port(53).describe('UDP and TCP port for queries'),
    forwardTo: z.array(address()).default([]).describe('Resolvers; default: the resolvers of /etc/resolv.conf'),
    records: z
      .array(
        z.strictObject({
          name: hostName().describe('Requested name'),
          address: address().describe('Address in the answer'),
        }),
      )
      .default([])
      .describe('Names with fixed answers'),
    domains: z
      .array(
        z.strictObject({
          domain: hostName().describe('Domain, with all names below it'),
          forwardTo: address().describe('Resolver of the domain'),
        }),
      )
      .default([])
      .describe('Domains with other resolvers'),
    cacheEntries: z.int().min(0).max(100_000).default(1_000).describe('Maximum number of cached names'),
  })
  .meta({ examples: [{ forwardTo: ['9.9.9.9'], records: [{ name: 'db.internal', address: '10.0.0.5' }] }] });

type Config = z.output<typeof config>;

function conf({ port, forwardTo, records, domains, cacheEntries }: Config, listening: ListenAddress): string {
  return [
    MANAGED_FILE_HEADER,
    `port=${port}`,
    'bind-dynamic',
    ...(literalAddressesOf(listening) ?? []).map((one) => `listen-address=${one}`),
    // Other name servers must not see names without a domain, nor addresses of private networks.
    'domain-needed',
    'bogus-priv',
    `cache-size=${cacheEntries}`,
    ...(forwardTo.length > 0 ? ['no-resolv', ...forwardTo.map((one) => `server=${one}`)] : []),
    ...domains.map(({ domain, forwardTo }) => `server=/${domain}/${forwardTo}`),
    ...records.map(({ name, address }) => `host-record=${name},${address}`),
    '',
  ].join('\n');
}

/** Passes questions for names on, and answers some itself. */
export const dnsmasq = packageService({
  name: 'dnsmasq',
  category: 'networking',
  holds: [],
  description: 'Forwards DNS queries to resolvers, caches the answers, and answers some names itself.',
  versions: debianVersions({ 12: '2.90', 13: '2.91' }),
  supports: { os: ['debian'] },
  conflicts: ['unbound'],
  config,
  endpoints: ({ port }) => [
    { name: 'dns', port, protocol: 'udp' },
    { name: 'dns-tcp', port },
  ],
  listens: 'dns',
  files: { conf: { path: '/etc/dnsmasq.d/provisioning.conf', content: (config, { listening }) => conf(config, listening) } },
  check: 'dnsmasq --test --conf-file=/etc/dnsmasq.d/provisioning.conf',
  health: ({ port }) => [resolvesNames('dnsmasq', port)],
});
