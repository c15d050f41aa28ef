import * as z from 'zod';
import {
  absolutePath,
  anyPort,
  CADDY,
  directivesProblem,
  endpoint,
  fileContent,
  folderContent,
  hostName,
  port,
} from '../../sdk/index.js';

const urlPath = z.string().regex(/^\/[A-Za-z0-9._~/-]*$/, { error: 'the path of a URL begins with /' });

/** Directives of a site block that its other keys stand for. */
const ELSEWHERE = { bind: 'where it listens follows from what the entry declares public' };

const site = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,50}$/, { error: 'the name of a site has up to 51 lower-case letters, digits and dashes' })
      .describe('Name, which also names the endpoints of its own ports'),
    hosts: z.array(hostName()).default([]).describe('Host names; default: all host names'),
    port: anyPort().optional().describe('TCP port; default: `port`, or `httpsPort` with TLS'),
    tls: z
      .union([z.enum(['off', 'internal', 'acme']), z.boolean()], { error: 'tls is off, internal or acme; true is acme' })
      .transform((said) => (typeof said === 'boolean' ? (said ? 'acme' : 'off') : said))
      .default('off')
      .describe('Source of its certificate: its own authority on this host, or an ACME authority (or `true`)'),
    root: absolutePath().optional().describe('Folder with the files of the site'),
    tree: folderContent()
      .optional()
      .describe('Files of the site: `{ tree-of: PATH }`; they are stored in `/srv/caddy/NAME`, and removed with the site'),
    phpSocket: absolutePath().optional().describe('Socket of PHP-FPM that runs the PHP files in `root` or `tree`'),
    proxyTo: z
      .array(
        z
          .url({ protocol: /^https?$/, error: 'write an upstream as "http://host:port"' })
          .regex(/^https?:\/\/[A-Za-z0-9.[\]:-]+$/, { error: 'write an upstream as "http://host:port", without a path' }),
      )
      .min(1)
      .refine((urls) => new Set(urls.map((url) => new URL(url).protocol)).size < 2, {
        error: 'the upstreams of a site must all use http, or all use https',
      })
      .optional()
      .describe('Upstreams for requests'),
    backend: endpoint({ taskserv: 'nginx', offering: 'http' })
      .unwrap()
      .optional()
      .describe('Upstreams from the definition: an endpoint on any servers'),
    balance: z
      .enum(['round_robin', 'least_conn', 'ip_hash', 'random', 'first'])
      .default('round_robin')
      .describe('Load-balancing policy'),
    healthPath: urlPath
      .optional()
      .describe('Path that an upstream must answer with 2xx to get requests; without it, a failed upstream is excluded for 10 s'),
    directives: fileContent()
      .optional()
      .describe('Further lines of its site block: a text, or `{ content-of: PATH, template: true }`'),
  })
  .superRefine(({ root, tree, proxyTo, backend, phpSocket, directives, tls, hosts }, context) => {
    const say = (message: string, ...path: string[]) => context.addIssue({ code: 'custom', path, message, input: undefined });
    const served = [root, tree, proxyTo, backend].filter((one) => one !== undefined);
    if (served.length > 1) say('a site needs exactly one of root, tree, proxyTo and backend');
    if (served.length === 0 && directives === undefined)
      say('a site needs root, tree, proxyTo or backend, or directives that serve content');
    if (phpSocket !== undefined && root === undefined && tree === undefined) say('phpSocket needs root or tree');
    if (tls !== 'off' && hosts.length === 0) say('a site with TLS needs hosts');
    const problem = directives && directivesProblem(directives, CADDY, ELSEWHERE);
    if (problem) say(problem, 'directives');
  });

export type Site = z.output<typeof site>;

export const caddyConfig = z
  .strictObject({
    port: port(80).describe('TCP port of sites without TLS, and of redirects to sites with TLS'),
    httpsPort: port(443).describe('TCP port of sites with TLS'),
    metricsPort: port(2020).describe('TCP port on which /metrics is served'),
    email: z.email().optional().describe('Mail address for the ACME authority'),
    acmeDirectory: z
      .url({ protocol: /^https$/, error: 'the directory of an ACME authority must be an https:// URL' })
      .regex(/^[A-Za-z0-9.:/_~%?=&[\]-]+$/)
      .optional()
      .describe("Directory URL of another ACME authority; default: Let's Encrypt"),
    sites: z
      .array(site)
      .min(1)
      .refine((sites) => new Set(sites.map(({ name }) => name)).size === sites.length, {
        error: 'each site may be listed only once',
      })
      // The page that the package brings.
      .prefault([{ name: 'www', root: '/usr/share/caddy' }])
      .describe('Sites; default: a welcome page'),
  })
  .refine((config) => noDoubles(config), { path: ['sites'], error: 'two sites have the same port and host name' })
  .refine((config) => noMixedPorts(config), { path: ['sites'], error: 'a port can have either HTTP or HTTPS' })
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
