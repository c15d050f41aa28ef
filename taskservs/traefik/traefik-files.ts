import * as z from 'zod';
import {
  askAt,
  type HostContext,
  hostName,
  hostPart,
  type ListenAddress,
  MANAGED_FILE_HEADER,
  ownArtifact,
  type Peer,
  port,
  urlAsWritten,
} from '../../sdk/index.js';

const HEAD = `${MANAGED_FILE_HEADER}\n`;

export const DYNAMIC = '/etc/traefik/dynamic/provisioning.yml';

/** The name by which the health check asks: none of a site's (RFC 2606). */
export const HEALTH_HOST = 'health.provisioning.invalid';

const route = z.strictObject({
  domain: hostName().optional().describe('Name of the site; default: the route applies to all'),
  path: z
    .string()
    .regex(/^\/[\w.~%/-]*$/, { error: 'write a path that begins with / and has only letters, digits and ._~%-' })
    .default('/')
    .describe('Path prefix; the longest prefix wins'),
  to: z
    .array(z.url({ protocol: /^https?$/, error: 'write a URL such as http://10.0.0.7:8080' }))
    .min(1)
    .describe('URLs of the servers, used in turn'),
  healthPath: z
    .string()
    .regex(/^\/[!-~]*$/, { error: 'write a path that begins with /' })
    .optional()
    .describe('Path of the health check; without it, no server is excluded'),
});

export const traefikConfig = z
  .strictObject({
    port: port(80).describe('TCP port on which it serves HTTP'),
    adminPort: port(8082).describe('TCP port of metrics and health checks'),
    routes: z
      .record(
        z
          .string()
          .regex(/^[a-z][a-z0-9-]{0,39}$/, { error: 'the name of a route has up to 40 lower-case letters, digits and dashes' }),
        route,
      )
      .default({})
      .describe('Routes by name'),
    accessLog: z.boolean().default(false).describe('Whether it logs each request in the journal'),
    artifact: ownArtifact(),
  })
  .meta({
    examples: [{ routes: { shop: { domain: 'shop.example.org', to: ['http://10.0.0.7:8080', 'http://10.0.0.8:8080'] } } }],
  });

export type TraefikConfig = z.output<typeof traefikConfig>;

const addressAt = (listening: ListenAddress, port: number): string =>
  `${listening === 'all' ? '' : typeof listening === 'string' ? '127.0.0.1' : hostPart(listening.address)}:${port}`;

/** Its own settings, which it reads when it starts. JSON is YAML. */
export function staticFile({ port, adminPort, accessLog }: TraefikConfig, web: ListenAddress, admin: ListenAddress): string {
  const settings = {
    entryPoints: { web: { address: addressAt(web, port) }, admin: { address: addressAt(admin, adminPort) } },
    providers: { file: { filename: DYNAMIC, watch: true } },
    metrics: { prometheus: { entryPoint: 'admin' } },
    ping: { entryPoint: 'admin' },
    log: { level: 'INFO' },
    ...(accessLog && { accessLog: {} }),
    global: { checkNewVersion: false, sendAnonymousUsage: false },
  };
  return `${HEAD}${JSON.stringify(settings, undefined, 2)}\n`;
}

/** The routes, which it takes in as soon as they are written. */
export function dynamicFile({ routes }: TraefikConfig, at: { host: HostContext; peers: readonly Peer[] }): string {
  const routers = Object.entries(routes).map(([name, { domain, path }]) => [
    name,
    {
      entryPoints: ['web'],
      rule: [...(domain === undefined ? [] : [`Host(\`${domain}\`)`]), `PathPrefix(\`${path}\`)`].join(' && '),
      service: name,
    },
  ]);
  const services = Object.entries(routes).map(([name, { to, healthPath }]) => [
    name,
    {
      loadBalancer: {
        servers: to.map((url) => ({ url: urlAsWritten(url, at) })),
        ...(healthPath !== undefined && { healthCheck: { path: healthPath, interval: '5s', timeout: '3s' } }),
      },
    },
  ]);
  const health = { entryPoints: ['web'], rule: `Host(\`${HEALTH_HOST}\`)`, service: 'ping@internal', priority: 1_000_000 };
  const http = {
    routers: { ...Object.fromEntries(routers), provisioning: health },
    ...(services.length > 0 && { services: Object.fromEntries(services) }),
  };
  return `${HEAD}${JSON.stringify({ http }, undefined, 2)}\n`;
}

export const urlAt = (listening: ListenAddress, port: number, path: string): string => `http://${askAt(listening)}:${port}${path}`;
