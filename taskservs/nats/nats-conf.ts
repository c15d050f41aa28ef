import {
  askAt,
  hostPart,
  type ListenAddress,
  MANAGED_FILE_HEADER,
  type SecretRef,
  type ServiceTls,
  secretAs,
  type Text,
  TLS12_GO_CIPHERS,
  text,
  tlsFiles,
} from '../../sdk/index.js';

export interface NatsConfig {
  port: number;
  monitoringPort: number;
  users: { name: string; password: SecretRef }[];
  /** Bytes. */
  tls?: (ServiceTls & { required: boolean }) | undefined;
  maxPayload: number;
  jetStream: boolean;
  /** Bytes. */
  maxStore: number;
  /** Name of the group. Absent: a single server. */
  cluster?: string | undefined;
  clusterPort: number;
  /** Only in a cluster. */
  peerTls?: { certificate: SecretRef; key: SecretRef; authority: SecretRef } | undefined;
  /** Only in a cluster. */
  adminPassword?: SecretRef | undefined;
}

/** Files of TLS between members, by the fields of `peerTls`. */
export const PEER_TLS = {
  certificate: '/etc/nats-peer-certificate.pem',
  key: '/etc/nats-peer-key.pem',
  authority: '/etc/nats-peer-authority.pem',
} as const;

/** User of the account that administers a cluster. */
export const ADMIN = 'provisioning-admin';

/** Lines of a member of a cluster. All members have the same routes: those to itself it leaves out. */
const clusterLines = ({ cluster, clusterPort }: NatsConfig, members: readonly string[], address: string): string[] => [
  `cluster {`,
  `  name: ${JSON.stringify(cluster)}, listen: ${JSON.stringify(`${address}:${clusterPort}`)}`,
  `  tls { cert_file: "${PEER_TLS.certificate}", key_file: "${PEER_TLS.key}", ca_file: "${PEER_TLS.authority}", verify: true, timeout: 5 }`,
  `  routes: ${JSON.stringify(members.map((member) => `nats-route://${hostPart(member)}:${clusterPort}`))}`,
  '}',
  // A member that stops hands over its streams first. With clients it takes the shortest time that NATS allows.
  'lame_duck_duration: "30s"',
  'lame_duck_grace_period: "2s"',
];

function tlsLines({ tls }: NatsConfig): string[] {
  if (!tls) return [];
  const { certificate, key } = tlsFiles('nats');
  // It names some without the hash.
  const ciphers = TLS12_GO_CIPHERS.map((name) => name.replace(/(?<=POLY1305)_SHA256$/, ''));
  return [
    `tls { cert_file: "${certificate}", key_file: "${key}", timeout: 5, cipher_suites: ${JSON.stringify(ciphers)} }`,
    ...(tls.required ? [] : ['allow_non_tls: true']),
  ];
}

/**
 * The content of nats-server.conf.
 *
 * @param members addresses of all members of its cluster
 */
export function natsConf(config: NatsConfig, server: string, listening: ListenAddress, members: readonly string[] = []): Text {
  const { cluster, adminPassword } = config;
  const address = listening === 'all' ? '0.0.0.0' : askAt(listening);
  const head = [
    MANAGED_FILE_HEADER,
    `server_name: ${JSON.stringify(server)}`,
    `listen: ${JSON.stringify(`${address}:${config.port}`)}`,
    `http: "127.0.0.1:${config.monitoringPort}"`,
    `max_payload: ${config.maxPayload}`,
    ...(config.jetStream ? [`jetstream { store_dir: "/var/lib/nats", max_file_store: ${config.maxStore} }`] : []),
    ...tlsLines(config),
    ...(cluster === undefined ? [] : clusterLines(config, members, address)),
    '',
  ].join('\n');
  if (config.users.length === 0) return head;
  const users = config.users.map(
    ({ name, password }) => text`  { user: ${JSON.stringify(name)}, password: ${secretAs('nats', password)} }\n`,
  );
  if (cluster === undefined || adminPassword === undefined) return text`${head}authorization { users: [\n${users.flat()}] }\n`;
  const admin = text`SYS: { users: [{ user: "${ADMIN}", password: ${secretAs('nats', adminPassword)} }] }\n`;
  return text`${head}system_account: SYS\naccounts {\n${admin}APP: { jetstream: enabled, users: [\n${users.flat()}] }\n}\n`;
}
