import * as z from 'zod';
import {
  addressesOf,
  anyPort,
  debianVersions,
  hostName,
  hostPart,
  type Listening,
  network,
  packageService,
  port,
  sh,
  size,
} from '../../sdk/index.js';

const CONF = '/etc/squid/squid.conf';
const CACHE = '/etc/squid/provisioning-cache.conf';

const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fd00::/8'];

const config = z
  .strictObject({
    port: port(3128).describe('TCP port on which it takes requests'),
    allow: z.array(network()).default(PRIVATE).describe('Who may use it, besides the host itself'),
    domains: z
      .array(hostName())
      .default([])
      .describe('Domains, each with all below it, that may be reached; without them every domain'),
    ports: z.array(anyPort()).min(1).default([80, 443]).describe('TCP ports of servers that may be reached'),
    memoryCache: size('64 MiB').describe('Memory for answers that are kept, at most'),
    diskCache: size('0 B').describe('Disk for answers that are kept, at most; without it none are kept on disk'),
  })
  .meta({ examples: [{ domains: ['debian.org', 'example.org'], diskCache: '2 GiB' }] });

type Config = z.output<typeof config>;

/** Without those that are below another: squid refuses some orders of these. */
const topmost = (domains: string[]): string[] =>
  [...new Set(domains.map((domain) => domain.toLowerCase()))].filter(
    (domain, _, all) => !all.some((other) => domain.endsWith(`.${other}`)),
  );

function squidConf({ port, allow, domains, ports }: Config, listening: Listening): string {
  const listed = topmost(domains);
  const addresses = addressesOf(listening)?.map((address) => `${hostPart(address)}:${port}`) ?? [String(port)];
  return [
    '# Written by provisioning; changes by hand are taken back.',
    ...addresses.map((address) => `http_port ${address}`),
    `acl allowed src ${['127.0.0.0/8', '::1', ...allow].join(' ')}`,
    `acl allowed_ports port ${ports.join(' ')}`,
    ...(listed.length > 0 ? [`acl allowed_domains dstdomain ${listed.map((domain) => `.${domain}`).join(' ')}`] : []),
    // Clouds answer there with what a server is told in confidence.
    'acl to_link_local dst 169.254.0.0/16 fe80::/10',
    'http_access allow localhost manager',
    'http_access deny manager',
    'http_access deny !allowed',
    'http_access deny !allowed_ports',
    ...(listed.length > 0 ? ['http_access deny !allowed_domains'] : []),
    // What the host itself offers to nobody else would be offered to all of them.
    'http_access deny to_localhost',
    'http_access deny to_link_local',
    'http_access allow allowed',
    'http_access deny all',
    // Answers to questions are kept only where they say so themselves.
    String.raw`refresh_pattern -i (/cgi-bin/|\?) 0 0% 0`,
    'refresh_pattern . 0 20% 4320',
    'forwarded_for delete',
    'pinger_enable off',
    // By default a restart waits for clients for half a minute, and takes no requests.
    'shutdown_lifetime 5 seconds',
    // Logs are rotated by logrotate.
    'logfile_rotate 0',
    'coredump_dir /var/spool/squid',
    `include ${CACHE}`,
    '',
  ].join('\n');
}

function cacheConf({ memoryCache, diskCache }: Config): string {
  const mebibytes = Math.ceil(diskCache / 2 ** 20);
  const disk = `maximum_object_size 1 GB\ncache_dir ufs /var/spool/squid ${mebibytes} 16 256\n`;
  return `# Written by provisioning; changes by hand are taken back.\ncache_mem ${memoryCache} bytes\n${mebibytes > 0 ? disk : ''}`;
}

/** Passes requests of a network on to servers of the Internet. */
export const squid = packageService({
  name: 'squid',
  category: 'networking',
  description: 'Passes requests of a network on to the servers of the Internet that they may reach, and keeps answers.',
  versions: debianVersions({ 12: '5.7', 13: '6.13' }),
  supports: { os: ['debian'] },
  config,
  endpoints: ({ port }) => [{ name: 'proxy', port }],
  listens: 'proxy',
  files: {
    conf: { path: CONF, content: (config, { listening }) => squidConf(config, listening), reload: true },
    // The folders of a cache are made before squid starts, and only then.
    cache: { path: CACHE, content: cacheConf },
  },
  check: sh`squid -k parse -f ${CONF}`,
  health: ({ port }) => [
    { title: 'squid answers requests', http: `http://127.0.0.1:${port}/squid-internal-mgr/info`, expect: 'Squid Object Cache' },
  ],
});
