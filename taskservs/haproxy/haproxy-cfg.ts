import { hostPart, offering, type Peer } from '../../sdk/index.js';
import type { HaproxyConfig } from './haproxy-config.js';

export interface Backend {
  /** `SERVER-TASKSERV`. */
  name: string;
  address: string;
  port: number;
}

/** What stands behind the load balancer, in the order of the peers; itself never does. */
export function backends({ backend, port }: HaproxyConfig, server: string, peers: readonly Peer[]): Backend[] {
  return offering(peers, backend.offering)
    .filter(({ taskserv }) => taskserv === backend.taskserv)
    .filter((peer) => !(peer.server === server && peer.endpoint.port === port))
    .filter((peer) => peer.server === server || !peer.endpoint.local)
    .map((peer) => ({
      name: `${peer.server}-${peer.taskserv}`,
      // This server's own name need not resolve on it; loopback always does.
      address: peer.server === server ? '127.0.0.1' : peer.address,
      port: peer.endpoint.port,
    }));
}

/**
 * The content of haproxy.cfg.
 *
 * @param metricsOn the addresses on which metrics are served; undefined for all
 */
export function haproxyCfg(config: HaproxyConfig, servers: readonly Backend[], metricsOn: readonly string[] | undefined): string {
  const { timeouts, stats, metrics } = config;
  return `${[HEADER, global(config), RESOLVERS, defaults(timeouts), main(config, servers), statsFrontend(stats)]
    .concat(metrics.enabled ? [metricsFrontend(metrics.port, metricsOn)] : [])
    .join('\n\n')}\n`;
}

const HEADER = '# Written by provisioning; changes by hand are taken back.';

const global = ({ maxConnections }: HaproxyConfig) => `global
    log /dev/log local0
    chroot /var/lib/haproxy
    stats socket /run/haproxy/admin.sock mode 660 level admin
    user haproxy
    group haproxy
    daemon
    maxconn ${maxConnections}`;

// A name that only /etc/hosts knows is resolved at the start and unknown to DNS ever after:
// the long holds keep its address, since the check of health is what tells whether a server lives.
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

const main = (config: HaproxyConfig, servers: readonly Backend[]) => {
  const lines = servers.map(({ name, address, port }) => `    server ${name} ${address}:${port}`);
  return `frontend main
    bind :${config.port}
    default_backend servers

backend servers
    balance ${config.balance}
    option httpchk GET ${config.healthPath}
    default-server check inter 2s fall 3 rise 2 resolvers system init-addr last,libc,none${['', ...lines].join('\n')}`;
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
