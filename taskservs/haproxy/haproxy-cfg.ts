import {
  acmeFiles,
  CHALLENGE_PATH,
  type HostContext,
  hostPart,
  listOffered,
  MANAGED_FILE_HEADER,
  type Peer,
  reachedAt,
  TLS12_CIPHERS,
} from '../../sdk/index.js';
import type { HaproxyConfig } from './haproxy-config.js';

export interface Backend {
  /** `SERVER-TASKSERV`, or `SERVER-TASKSERV-INSTANCE` for an instance. */
  name: string;
  address: string;
  port: number;
  /** Port that answers the health check, if it is another one. */
  checkPort?: number;
}

/** Backends of the load balancer, in the order of the peers, without the server itself. */
export function backends(
  { backend, backendRole, port, healthOffering }: HaproxyConfig,
  host: HostContext,
  peers: readonly Peer[],
): Backend[] {
  return listOffered(peers, backend.offering)
    .filter(({ taskserv, role }) => taskserv === backend.taskserv && (backendRole === undefined || role === backendRole))
    .filter((peer) => !(peer.server === host.name && peer.endpoint.port === port))
    .filter((peer) => peer.server === host.name || !peer.endpoint.local)
    .map((peer) => {
      const check = peer.endpoints.find(({ name }) => name === healthOffering);
      return {
        name: `${peer.server}-${peer.taskserv.replace('@', '-')}`,
        address: reachedAt(peer, host),
        port: peer.endpoint.port,
        ...(check && { checkPort: check.port }),
      };
    });
}

/** The file of a certificate that is given. */
export const CERTIFICATE = '/etc/haproxy/provisioning.pem';

/** Authority of the certificates of the endpoint that answers the check. */
export const HEALTH_AUTHORITY = '/etc/haproxy/provisioning-health-authority.pem';

interface At {
  /** The addresses on which metrics are served; undefined for all. */
  metricsOn: readonly string[] | undefined;
  /** Port on which acme of this server answers challenges. */
  challenges?: number | undefined;
}

/** The content of haproxy.cfg. */
export function haproxyCfg(config: HaproxyConfig, servers: readonly Backend[], { metricsOn, challenges }: At): string {
  const { timeouts, stats, metrics } = config;
  return `${[
    MANAGED_FILE_HEADER,
    global(config),
    RESOLVERS,
    defaults(timeouts),
    main(config, servers, challenges),
    statsFrontend(stats),
  ]
    .concat(challenges === undefined ? [] : [`backend acme\n    server acme 127.0.0.1:${challenges}`])
    .concat(metrics.enabled ? [metricsFrontend(metrics.port, metricsOn)] : [])
    .join('\n\n')}\n`;
}

const global = ({ maxConnections, tls }: HaproxyConfig) => `global
    log /dev/log local0
    chroot /var/lib/haproxy
    stats socket /run/haproxy/admin.sock mode 660 level admin
    user haproxy
    group haproxy
    daemon
    maxconn ${maxConnections}${
      tls
        ? `
    ssl-default-bind-ciphers ${TLS12_CIPHERS}
    ssl-default-bind-options prefer-client-ciphers ssl-min-ver ${tls.minimum} no-tls-tickets`
        : ''
    }`;

// A name that only /etc/hosts has is resolved at the start, and DNS never knows it. The long hold times keep its
// address. Only the health check decides whether a server works.
const RESOLVERS = `resolvers system
    parse-resolv-conf
    resolve_retries 3
    timeout resolve 1s
    timeout retry 1s
    hold valid 10s
    hold obsolete 20d
    hold nx 20d
    hold timeout 20d
    hold refused 20d
    hold other 20d`;

const defaults = (timeouts: HaproxyConfig['timeouts']) => `defaults
    log global
    mode http
    option httplog
    option dontlognull
    option forwardfor
    timeout connect ${timeouts.connect}s
    timeout client ${timeouts.client}s
    timeout server ${timeouts.server}s`;

/** TLS of the main frontend. ACME challenges always pass. */
function tlsLines({ tls }: HaproxyConfig, challenges: number | undefined): string[] {
  if (!tls) return [];
  const files = tls.acme?.map((name) => acmeFiles(name).combined) ?? [CERTIFICATE];
  const at = tls.port === 443 ? '' : `:${tls.port}`;
  const acme = challenges === undefined ? undefined : `{ path_beg ${CHALLENGE_PATH} }`;
  return [
    `bind :${tls.port} ssl ${files.map((file) => `crt ${file}`).join(' ')} alpn h2,http/1.1`,
    ...(tls.redirect
      ? [
          `http-request redirect location https://%[req.hdr(host),field(1,:)]${at}%[pathq] code 301 unless { ssl_fc }${acme ? ` or ${acme}` : ''}`,
        ]
      : []),
    'http-request set-header X-Forwarded-Proto https if { ssl_fc }',
    'http-request set-header X-Forwarded-Proto http unless { ssl_fc }',
    ...(tls.hsts ? [`http-after-response set-header Strict-Transport-Security max-age=${tls.hsts} if { ssl_fc }`] : []),
    ...(acme ? [`use_backend acme if ${acme}`] : []),
  ];
}

const main = (config: HaproxyConfig, servers: readonly Backend[], challenges: number | undefined) => {
  const lines = servers.map(
    ({ name, address, port, checkPort }) =>
      `    server ${name} ${hostPart(address)}:${port}${checkPort === undefined ? '' : ` port ${checkPort}`}`,
  );
  const isTcp = config.mode === 'tcp';
  // Another backend may take over at any time: a connection to the former one must end.
  const check = isTcp ? 'inter 1s fall 2 rise 1 on-marked-down shutdown-sessions' : 'inter 2s fall 3 rise 2';
  return `frontend main${isTcp ? '\n    mode tcp\n    option tcplog' : ''}
    bind :${config.port}${tlsLines(config, challenges)
      .map((line) => `\n    ${line}`)
      .join('')}
    default_backend servers

backend servers${isTcp ? '\n    mode tcp' : ''}
    balance ${config.balance}
    option httpchk GET ${config.healthPath}
    default-server check${config.healthAuthority ? ` check-ssl verify required ca-file ${HEALTH_AUTHORITY}` : ''} ${check} resolvers system init-addr last,libc,none${['', ...lines].join('\n')}`;
};

const statsFrontend = ({ port, path }: HaproxyConfig['stats']) => `frontend stats
    bind 127.0.0.1:${port}
    stats enable
    stats uri ${path}
    stats refresh 10s
    option dontlog-normal`;

const metricsFrontend = (port: number, addresses: readonly string[] = ['']) => `frontend metrics
${addresses.map((address) => `    bind ${hostPart(address)}:${port}`).join('\n')}
    http-request use-service prometheus-exporter if { path /metrics }
    option dontlog-normal`;
