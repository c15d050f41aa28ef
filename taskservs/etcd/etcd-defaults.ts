import { hostPart, type ListenAddress, literalAddressesOf, MANAGED_FILE_HEADER, type SecretRef } from '../../sdk/index.js';

interface Certificates {
  certificate: SecretRef;
  key: SecretRef;
  authority: SecretRef;
}

export interface EtcdConfig {
  port: number;
  peerPort: number;
  metricsPort: number;
  tls?: Certificates;
  /** Name of the group. Absent: a single member. */
  cluster?: string;
  /** Only in a cluster. */
  peerTls?: Certificates;
  /** Bytes. */
  quota: number;
  /** Seconds. */
  history: number;
}

/** Files of TLS, by the fields of `tls`. */
export const TLS = {
  certificate: '/etc/etcd/certificate.pem',
  key: '/etc/etcd/key.pem',
  authority: '/etc/etcd/authority.pem',
} as const;

/** Files of TLS between members, by the fields of `peerTls`. */
export const PEER_TLS = {
  certificate: '/etc/etcd/peer-certificate.pem',
  key: '/etc/etcd/peer-key.pem',
  authority: '/etc/etcd/peer-authority.pem',
} as const;

/** Addresses for clients, metrics and other members. */
export interface ServedAddresses {
  clients: ListenAddress;
  metrics: ListenAddress;
  peers: ListenAddress;
}

/** It takes only addresses. */
const urls = (scheme: string, listening: ListenAddress, port: number): string =>
  (literalAddressesOf(listening) ?? ['0.0.0.0']).map((address) => `${scheme}://${hostPart(address)}:${port}`).join(',');

/** Variables of a single member: nothing reaches it by its peer port. */
function aloneVariables(server: string, peerPort: number) {
  const peer = `http://127.0.0.1:${peerPort}`;
  return { LISTEN_PEER_URLS: peer, INITIAL_ADVERTISE_PEER_URLS: peer, INITIAL_CLUSTER: `${server}=${peer}` };
}

/**
 * Variables of a member of a cluster. It never founds one by these: a founder gets further ones for its first start
 * (`INITIAL` of etcd-steps.ts).
 */
const groupVariables = (server: string, peerPort: number, peers: ListenAddress) => ({
  LISTEN_PEER_URLS: urls('https', peers, peerPort),
  INITIAL_ADVERTISE_PEER_URLS: `https://${hostPart(server)}:${peerPort}`,
  INITIAL_CLUSTER_STATE: 'existing',
  PEER_CERT_FILE: PEER_TLS.certificate,
  PEER_KEY_FILE: PEER_TLS.key,
  PEER_TRUSTED_CA_FILE: PEER_TLS.authority,
  PEER_CLIENT_CERT_AUTH: true,
});

/**
 * The content of /etc/default/etcd: its whole configuration.
 *
 * @param server its name, by which other servers reach it
 */
export function etcdDefaults(config: EtcdConfig, server: string, { clients, metrics, peers }: ServedAddresses): string {
  const { port, peerPort, metricsPort, tls, cluster, quota, history } = config;
  const scheme = tls ? 'https' : 'http';
  const variables = {
    NAME: server,
    LOGGER: 'zap',
    LISTEN_CLIENT_URLS: urls(scheme, clients, port),
    ADVERTISE_CLIENT_URLS: `${scheme}://${clients === 'loopback' ? '127.0.0.1' : server}:${port}`,
    LISTEN_METRICS_URLS: urls('http', metrics, metricsPort),
    ...(cluster === undefined ? aloneVariables(server, peerPort) : groupVariables(server, peerPort, peers)),
    QUOTA_BACKEND_BYTES: quota,
    AUTO_COMPACTION_MODE: 'periodic',
    AUTO_COMPACTION_RETENTION: `${history}s`,
    ...(tls && {
      CERT_FILE: TLS.certificate,
      KEY_FILE: TLS.key,
      TRUSTED_CA_FILE: TLS.authority,
      CLIENT_CERT_AUTH: true,
    }),
  };
  const lines = Object.entries(variables).map(([name, value]) => `ETCD_${name}=${value}`);
  return `${MANAGED_FILE_HEADER}\n${lines.join('\n')}\n`;
}
