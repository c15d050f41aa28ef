import * as z from 'zod';
import {
  anyPort,
  debianVersions,
  type HealthContext,
  hostName,
  listeningOn,
  network,
  packageService,
  port,
  sh,
  size,
  tlsOnAnotherPort,
} from '../../sdk/index.js';
import { CACHE, CONF, cacheConf, type Listens, type SquidConfig, squidConf } from './squid-conf.js';

const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fd00::/8'];

const config = z
  .strictObject({
    port: port(3128).describe('TCP port for requests'),
    allow: z.array(network()).default(PRIVATE).describe('Clients, in addition to the host'),
    domains: z.array(hostName()).default([]).describe('Allowed domains, each with its subdomains; default: every domain'),
    ports: z.array(anyPort()).min(1).default([80, 443]).describe('Allowed TCP ports of servers'),
    memoryCache: size('64 MiB').describe('Maximum memory for cached answers'),
    diskCache: size('0 B').describe('Maximum disk space for cached answers; default: no disk cache'),
    tls: tlsOnAnotherPort(3129)
      .optional()
      .describe('TLS for clients; without it only this server can connect, unless `required` is false'),
  })
  .refine(({ port, tls }) => port !== tls?.port, { path: ['tls', 'port'], error: 'the TLS port must differ from the other ports' })
  .meta({ examples: [{ domains: ['debian.org', 'example.org'], diskCache: '2 GiB' }] });

const listens = (config: SquidConfig, context: HealthContext): Listens => ({
  plain: config.tls?.required ? 'loopback' : listeningOn('squid', 'proxy', context),
  tls: config.tls ? listeningOn('squid', 'proxy-tls', context) : 'loopback',
});

/** Passes requests of a network on to servers of the Internet. */
export const squid = packageService({
  name: 'squid',
  category: 'networking',
  holds: [],
  description: 'Proxy for the outgoing requests of a network, with access rules and a cache.',
  versions: debianVersions({ 12: '5.7', 13: '6.13' }),
  supports: { os: ['debian'] },
  config,
  endpoints: ({ port, tls }) => [
    { name: 'proxy', port, ...(tls?.required && { local: true }) },
    ...(tls ? [{ name: 'proxy-tls', port: tls.port, tls: true }] : []),
  ],
  listens: (config, context) => {
    const { plain, tls } = listens(config, context);
    return config.tls ? tls : plain;
  },
  files: {
    conf: { path: CONF, content: (config, at) => squidConf(config, listens(config, at)), reload: true },
    // The folders of a cache are made before squid starts, and only then.
    cache: { path: CACHE, content: cacheConf },
  },
  tls: {
    of: ({ tls }) => tls,
    group: 'proxy',
    reload: true,
    // Built with GnuTLS, as Debian's squid is, it sends no certificate but its own: not those between it and an authority.
    package: { name: 'squid-openssl', inPlace: (version) => version === '5.7' },
    connect: ({ tls }) => ({ connect: `127.0.0.1:${tls?.port}` }),
  },
  check: sh`squid -k parse -f ${CONF}`,
  health: ({ port }) => [
    { title: 'squid answers requests', http: `http://127.0.0.1:${port}/squid-internal-mgr/info`, expect: 'Squid Object Cache' },
  ],
});
