import * as z from 'zod';
import { absolutePath, anyPort, endpoint, hostName, port } from '../../sdk/index.js';

const urlPath = z.string().regex(/^\/[A-Za-z0-9._~/-]*$/, { error: 'a path of a URL begins with /' });

const site = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,50}$/, { error: 'a site is named by up to 51 lower-case letters, digits and dashes' })
      .describe('Its name; endpoints of ports of its own are named after it'),
    hosts: z.array(hostName()).default([]).describe('Host names it answers to; without them, to any'),
    port: anyPort().optional().describe('TCP port; default: `port`, or `httpsPort` with TLS'),
    tls: z
      .enum(['off', 'internal', 'acme'])
      .default('off')
      .describe('Where its certificate comes from: an authority of its own on this host, or one that speaks ACME'),
    root: absolutePath().optional().describe('Folder of the files it serves'),
    phpSocket: absolutePath().optional().describe('Socket of PHP-FPM that runs the PHP files in `root`'),
    proxyTo: z
      .array(
        z
          .url({ protocol: /^https?$/, error: 'an upstream is written as "http://host:port"' })
          .regex(/^https?:\/\/[A-Za-z0-9.[\]:-]+$/, { error: 'an upstream is written as "http://host:port", without a path' }),
      )
      .min(1)
      .refine((urls) => new Set(urls.map((url) => new URL(url).protocol)).size < 2, {
        error: 'the upstreams of a site are all of http or all of https',
      })
      .optional()
      .describe('Upstreams that it passes requests to'),
    backend: endpoint({ taskserv: 'nginx', offering: 'http' })
      .unwrap()
      .optional()
      .describe('The same, found in the definition: an endpoint, on whichever servers it is'),
    balance: z
      .enum(['round_robin', 'least_conn', 'ip_hash', 'random', 'first'])
      .default('round_robin')
      .describe('How an upstream is chosen'),
    healthPath: urlPath
      .optional()
      .describe('Path that an upstream must answer with 2xx to get requests; without it, one that fails is left out for 10 s'),
  })
  .refine(({ root, proxyTo, backend }) => [root, proxyTo, backend].filter(Boolean).length === 1, {
    error: 'a site has one of root, proxyTo and backend',
  })
  .refine(({ root, phpSocket }) => root !== undefined || phpSocket === undefined, { error: 'phpSocket needs root' })
  .refine(({ tls, hosts }) => tls === 'off' || hosts.length > 0, { error: 'a site with TLS says its hosts' });

export type Site = z.output<typeof site>;

export const caddyConfig = z
  .strictObject({
    port: port(80).describe('TCP port of sites without TLS, and of what sends clients on to sites with TLS'),
    httpsPort: port(443).describe('TCP port of sites with TLS'),
    metricsPort: port(2020).describe('TCP port on which /metrics is served'),
    email: z.email().optional().describe('Whom the ACME authority writes to about certificates'),
    acmeDirectory: z
      .url({ protocol: /^https$/, error: 'the directory of an ACME authority is an https:// URL' })
      .regex(/^[A-Za-z0-9.:/_~%?=&[\]-]+$/)
      .optional()
      .describe("URL of another ACME authority's directory; default: Let's Encrypt"),
    sites: z
      .array(site)
      .min(1)
      .refine((sites) => new Set(sites.map(({ name }) => name)).size === sites.length, { error: 'each site is named once' })
      .default([
        {
          name: 'www',
          hosts: [],
          tls: 'off',
          // The page that the package brings.
          root: '/usr/share/caddy',
          balance: 'round_robin',
        },
      ])
      .describe('What it serves; default: a page that says that it works'),
  })
  .refine((config) => noDoubles(config), { path: ['sites'], error: 'two sites have the same port and host name' })
  .refine((config) => noMixedPorts(config), { path: ['sites'], error: 'a port is either of HTTP or of HTTPS' })
  .meta({
    examples: [
      {
        sites: [
          { name: 'shop', hosts: ['shop.example.org'], tls: 'acme', proxyTo: ['http://127.0.0.1:3000'] },
          { name: 'docs', hosts: ['docs.example.org'], root: '/srv/docs' },
        ],
      },
    ],
  });

export type CaddyConfig = z.output<typeof caddyConfig>;

interface Ports {
  port: number;
  httpsPort: number;
  metricsPort: number;
  sites: readonly Site[];
}

/** The port that a site listens on. */
export const portOf = ({ port, httpsPort }: Pick<Ports, 'port' | 'httpsPort'>, site: Site): number =>
  site.port ?? (site.tls === 'off' ? port : httpsPort);

function noDoubles(config: Ports): boolean {
  const names = config.sites.flatMap((site) =>
    (site.hosts.length > 0 ? site.hosts : ['']).map((host) => `${portOf(config, site)} ${host.toLowerCase()}`),
  );
  return new Set(names).size === names.length;
}

function noMixedPorts(config: Ports): boolean {
  const encrypted = config.sites.filter(({ tls }) => tls !== 'off').map((site) => portOf(config, site));
  const plain = config.sites.filter(({ tls }) => tls === 'off').map((site) => portOf(config, site));
  return ![config.metricsPort, ...plain, ...(encrypted.length > 0 ? [config.port] : [])].some((port) => encrypted.includes(port));
}
