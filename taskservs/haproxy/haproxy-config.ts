import * as z from 'zod';
import { acmeCertificate, duration, endpoint, port, secret, tls } from '../../sdk/index.js';

const urlPath = z.string().regex(/^\/[A-Za-z0-9._~/-]*$/, { error: 'the path of a URL begins with /' });

const endpointName = () =>
  z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, { error: 'a name has up to 63 lower-case letters, digits and dashes' });

export const haproxyConfig = z
  .strictObject({
    port: port(80).describe('TCP port for requests'),
    backend: endpoint({ taskserv: 'nginx', offering: 'http' }).describe('Backends, found in the definition on any servers'),
    backendRole: endpointName().optional().describe('Only servers with this role, if others have the same taskserv'),
    mode: z
      .enum(['http', 'tcp'])
      .default('http')
      .describe('Whether it passes on HTTP requests, or TCP connections such as those to a database'),
    balance: z
      .enum(['roundrobin', 'leastconn', 'source', 'first', 'random'])
      .default('roundrobin')
      .describe('Load-balancing algorithm'),
    healthPath: urlPath.default('/').describe('Path that a server must answer with 2xx or 3xx to get requests'),
    healthOffering: endpointName()
      .optional()
      .describe('Endpoint of the backends that answers the health check, if it is another one: `patroni`'),
    healthAuthority: secret().optional().describe('Authority that signs the certificates for the check, PEM: it then uses TLS'),
    maxConnections: z.int().min(1).max(1_000_000).default(2000).describe('Connections at the same time, at most'),
    timeouts: z
      .strictObject({
        connect: duration('5 s').describe('Maximum time to connect to a server'),
        client: duration('50 s').describe('Maximum silence of a client'),
        server: duration('50 s').describe('Maximum silence of a server'),
      })
      .prefault({})
      .describe('Time-outs of connections'),
    tls: tls(z.array(acmeCertificate()).min(1).describe('Names of acme certificates on this server'))
      .optional()
      .describe('TLS for requests, in addition to HTTP'),
    drainTimeout: duration('30 s').describe('Time for a drained server to finish its requests'),
    stats: z
      .strictObject({
        port: port(8404).describe('TCP port, on loopback only'),
        path: urlPath.default('/stats').describe('Path of the page'),
      })
      .prefault({})
      .describe('Statistics page, only for this host'),
    metrics: z
      .strictObject({
        enabled: z.boolean().default(true).describe('Whether metrics are served'),
        port: port(8405).describe('TCP port on which /metrics is served'),
      })
      .prefault({})
      .describe('Metrics for Prometheus'),
  })
  .refine(
    ({ port, tls, stats, metrics }) => {
      const ports = [port, ...(tls ? [tls.port] : []), stats.port, ...(metrics.enabled ? [metrics.port] : [])];
      return new Set(ports).size === ports.length;
    },
    { error: 'port, tls.port, stats.port and metrics.port must differ' },
  )
  .refine(({ mode, tls }) => mode === 'http' || tls === undefined, {
    path: ['tls'],
    error: 'with mode tcp the backends have their own TLS: remove tls',
  })
  .meta({ examples: [{ balance: 'leastconn', healthPath: '/', timeouts: { server: '2 m' } }] });

export type HaproxyConfig = z.output<typeof haproxyConfig>;
