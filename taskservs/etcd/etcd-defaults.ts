import { hostPart, type ListenAddress, literalAddressesOf, MANAGED_FILE_HEADER, type SecretRef } from '../../sdk/index.js';

export interface EtcdConfig {
  port: number;
  peerPort: number;
  metricsPort: number;
  tls?: { certificate: SecretRef; key: SecretRef; authority: SecretRef };
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

/** Addresses for clients and metrics. */
export interface ServedAddresses {
  clients: ListenAddress;
  metrics: ListenAddress;
}

/**
 * The content of /etc/default/etcd: its whole configuration.
 *
 * @param server its name, by which other servers reach it
 */
export function etcdDefaults(config: EtcdConfig, server: string, { clients, metrics }: ServedAddresses): string {
  const { port, peerPort, metricsPort, tls, quota, history } = config;
  const scheme = tls ? 'https' : 'http';
  // It takes only addresses.
  const urls = (scheme: string, listening: ListenAddress, port: number) =>
    (literalAddressesOf(listening) ?? ['0.0.0.0']).map((address) => `${scheme}://${hostPart(address)}:${port}`).join(',');
  const peer = `http://127.0.0.1:${peerPort}`;
  const variables = {
    NAME: server,
    LOGGER: 'zap',
    LISTEN_CLIENT_URLS: urls(scheme, clients, port),
    ADVERTISE_CLIENT_URLS: `${scheme}://${clients === 'loopback' ? '127.0.0.1' : server}:${port}`,
    LISTEN_METRICS_URLS: urls('http', metrics, metricsPort),
    LISTEN_PEER_URLS: peer,
    INITIAL_ADVERTISE_PEER_URLS: peer,
    INITIAL_CLUSTER: `${server}=${peer}`,
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
