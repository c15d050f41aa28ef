import * as z from 'zod';
import {
  absolutePath,
  acmeCertificate,
  anyPort,
  directivesProblem,
  fileContent,
  folderContent,
  host,
  NGINX,
  port,
  size,
  tls,
} from '../../sdk/index.js';

export const PAGE = '<!doctype html>\n<title>It works</title>\n<h1>It works</h1>\n<p>This page was put here by provisioning.</p>\n';

const error = 'a server name is a host name, *.example.org, www.example.* or _; separate several by a blank';
const serverName = z
  .string()
  .max(2_000)
  // Editors go by the expression, which is a part of what holds.
  .regex(/^[A-Za-z0-9*._][A-Za-z0-9*._-]*( [A-Za-z0-9*._][A-Za-z0-9*._-]*)*$/, { error, abort: true })
  .refine((names) => names.split(' ').every(isServerName), { error });
const folder = absolutePath();
const urlPath = z
  .string()
  .regex(/^(\/[A-Za-z0-9._~-]+)+$/, { error: 'the path of a URL begins with / and has at least one more character' });

/** Directives of a server block that its other keys stand for. */
const ELSEWHERE = {
  listen: 'say port, which others and the firewall go by',
  server_name: 'say serverName',
  server: 'write what is inside of the block; its beginning follows from the other keys',
  upstream: 'say proxyTo, or write it into /etc/nginx/conf.d by the taskserv files',
};

const site = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, { error: 'the name of a site has up to 63 lower-case letters, digits and dashes' })
      .describe('Its name in the configuration and in log files'),
    port: anyPort().optional().describe('TCP port; default: the main port'),
    serverName: serverName.describe('Host names'),
    root: folder.optional().describe('Folder with the files of the site'),
    tree: folderContent()
      .optional()
      .describe('Files of the site: `{ tree-of: PATH }`; they are stored in `/srv/nginx/NAME`, and removed with the site'),
    proxyTo: z
      .url({ protocol: /^https?$/, error: 'write an upstream as "http://host:port"' })
      .regex(/^[^\s;{}"'$\\]+$/)
      .optional()
      .describe('Upstream for requests'),
    directives: fileContent()
      .optional()
      .describe('Further lines of its server block: a text, or `{ content-of: PATH, template: true }`'),
    acme: acmeCertificate().optional().describe('acme certificate on this server, if it differs from the certificate of `tls`'),
  })
  .superRefine(({ root, tree, proxyTo, directives }, context) => {
    const say = (message: string, ...path: string[]) => context.addIssue({ code: 'custom', path, message, input: undefined });
    const served = [root, tree, proxyTo].filter((one) => one !== undefined);
    if (served.length > 1) say('a site needs exactly one of root, tree and proxyTo');
    if (served.length === 0 && directives === undefined)
      say('a site needs root, tree or proxyTo, or directives that serve content');
    const problem = directives && directivesProblem(directives, NGINX, ELSEWHERE);
    if (problem) say(problem, 'directives');
  });

export const nginxConfig = z
  .strictObject({
    port: port(80).describe('TCP port of the default server'),
    serverName: serverName.default('_').describe('Host names of the default server; `_` for any'),
    root: folder.default('/srv/www').describe('Folder that the default server serves'),
    page: z
      .string()
      .optional()
      .describe('HTML of the start page, written to index.html in root; default: the existing page, otherwise a welcome page'),
    statusPath: urlPath.default('/nginx_status').describe('Path of the status page, only for this host'),
    maxBodySize: size('1 MiB').describe('Largest request body that is accepted'),
    onChange: z
      .enum(['reload', 'restart'])
      .default('reload')
      .describe('Reload or restart after a change; modules and socket options need `restart`'),
    tls: tls(acmeCertificate().describe('Certificate of the acme on this server, by its name'))
      // A definition may have `true`. The certificate replaces it before this check.
      .meta({ type: ['object', 'boolean'] })
      .optional()
      .describe('TLS for the default server and the sites on its port; `true`: with a certificate for their names'),
    sites: z
      .array(site)
      .refine((sites) => new Set(sites.map(({ name }) => name)).size === sites.length, {
        error: 'each site may be listed only once',
      })
      .prefault([])
      .describe('Further sites, selected by host name or port'),
  })
  .refine(({ port, serverName, sites }) => noDoubles([{ port, serverName }, ...sites], port), {
    path: ['sites'],
    error: 'two servers have the same port and host name',
  })
  .refine(({ port, tls, sites }) => tls === undefined || ![port, ...sites.map((site) => site.port)].includes(tls.port), {
    path: ['tls', 'port'],
    error: 'the HTTPS port must differ from the other ports',
  })
  .refine(({ port, tls, sites }) => sites.every((site) => site.acme === undefined || (tls && (site.port ?? port) === port)), {
    path: ['sites'],
    error: 'set tls: only then a site can have a certificate, on the main port',
  })
  .meta({
    examples: [
      {
        serverName: 'www.example.org',
        sites: [{ name: 'api', serverName: 'api.example.org', proxyTo: 'http://127.0.0.1:8080' }],
      },
    ],
  });

export type Site = z.output<typeof site>;
export type NginxConfig = z.output<typeof nginxConfig>;

/**
 * Reports whether nginx accepts the text as a server name: a name, an address, `_`, or a name with a wildcard at one
 * end.
 */
function isServerName(text: string): boolean {
  const bare = text.replace(/^\*?\.|\.\*$/, '');
  // Those who ask for a host send underscores too, which its name cannot have.
  return text === '_' || host().safeParse(bare.replaceAll('_', 'x')).success;
}

function noDoubles(servers: readonly { port?: number; serverName: string }[], main: number): boolean {
  // Clients may write a name in any case, and nginx ignores the case.
  const names = servers.flatMap(({ port = main, serverName }) =>
    serverName
      .toLowerCase()
      .split(' ')
      .map((name) => `${port} ${name}`),
  );
  return new Set(names).size === names.length;
}
