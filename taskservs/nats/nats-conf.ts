import {
  askAt,
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
}

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

/** The content of nats-server.conf. */
export function natsConf(config: NatsConfig, server: string, listening: ListenAddress): Text {
  const address = listening === 'all' ? '0.0.0.0' : askAt(listening);
  const head = [
    MANAGED_FILE_HEADER,
    `server_name: ${JSON.stringify(server)}`,
    `listen: ${JSON.stringify(`${address}:${config.port}`)}`,
    `http: "127.0.0.1:${config.monitoringPort}"`,
    `max_payload: ${config.maxPayload}`,
    ...(config.jetStream ? [`jetstream { store_dir: "/var/lib/nats", max_file_store: ${config.maxStore} }`] : []),
    ...tlsLines(config),
    '',
  ].join('\n');
  if (config.users.length === 0) return head;
  const users = config.users.map(
    ({ name, password }) => text`  { user: ${JSON.stringify(name)}, password: ${secretAs('nats', password)} }\n`,
  );
  return text`${head}authorization { users: [\n${users.flat()}] }\n`;
}
