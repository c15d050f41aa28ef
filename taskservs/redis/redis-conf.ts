import {
  type ListenAddress,
  MANAGED_FILE_HEADER,
  quote,
  type SecretRef,
  type ServiceTls,
  secretAs,
  sh,
  type Text,
  TLS12_CIPHERS,
  text,
  tlsFiles,
} from '../../sdk/index.js';

export const CONF = '/etc/redis/redis.conf';
const LOG = '/var/log/redis/redis-server.log';

export interface RedisConfig {
  port: number;
  password?: SecretRef;
  tls?: (ServiceTls & { port: number; required: boolean }) | undefined;
  bind?: string[];
  /** Bytes. */
  maxMemory: number;
  maxMemoryPolicy: string;
  persistence: 'snapshot' | 'append-only' | 'none';
}

/**
 * The content of redis.conf.
 *
 * @param listening where it listens, if its configuration does not say it
 */
export function redisConf(config: RedisConfig, listening: ListenAddress): Text {
  const lines = [
    MANAGED_FILE_HEADER,
    `bind ${addresses(config, listening).join(' ')}`,
    'protected-mode yes',
    `port ${config.tls?.required ? 0 : config.port}`,
    ...tlsLines(config.tls),
    'tcp-keepalive 300',
    'pidfile /run/redis/redis-server.pid',
    `logfile ${LOG}`,
    'dir /var/lib/redis',
    `maxmemory ${config.maxMemory}`,
    `maxmemory-policy ${config.maxMemoryPolicy}`,
    config.persistence === 'snapshot' ? 'save 3600 1 300 100 60 10000' : 'save ""',
    `appendonly ${config.persistence === 'append-only' ? 'yes' : 'no'}`,
  ];
  const written = `${lines.join('\n')}\n`;
  return config.password ? text`${written}requirepass ${secretAs('redis', config.password)}\n` : written;
}

function tlsLines(tls: RedisConfig['tls']): string[] {
  if (!tls) return [];
  const { certificate, key } = tlsFiles('redis');
  return [
    `tls-port ${tls.port}`,
    `tls-cert-file ${certificate}`,
    `tls-key-file ${key}`,
    // Clients log in by their password.
    'tls-auth-clients no',
    `tls-protocols "${tls.minimum === 'TLSv1.3' ? 'TLSv1.3' : 'TLSv1.2 TLSv1.3'}"`,
    `tls-ciphers ${TLS12_CIPHERS}`,
  ];
}

/**
 * A function of a script: `read_password` sets the variable `password` to the password in redis.conf, which is empty if there
 * is no password. It reads what the format `redis` writes: between double quotes all special signs are `\\xHH`.
 */
export const readPassword = (conf: string): string => `read_password() {
  local line
  password=
  while IFS= read -r line; do
    case "$line" in
      "requirepass '"*) password=\${line#*\\'}; password=\${password%\\'} ;;
      'requirepass "'*) line=\${line#*\\"}; printf -v password %b "\${line%\\"}" ;;
    esac
  done <${quote(conf)}
}`;

/**
 * Has the running redis read its certificate again, which ends no connection and loses no data. The script reads port and
 * password from the configuration of redis, and holds no secret. A redis that refuses is restarted.
 */
export function renewTls(): string {
  const { certificate, key } = tlsFiles('redis');
  return `${readPassword(CONF)}
read_password
[ -z "$password" ] || export REDISCLI_AUTH="$password"
${sh`redis-cli -e --tls --insecure -p "$(sed -n 's/^tls-port //p' ${CONF})" config set tls-cert-file ${certificate} tls-key-file ${key} >/dev/null ||
  systemctl restart redis-server`}`;
}

/** A leading `-` lets redis start where the address does not exist (no IPv6). */
function addresses({ bind, password }: RedisConfig, listening: ListenAddress): string[] {
  if (bind) return [...new Set(['127.0.0.1', ...bind])];
  if (password && listening === 'all') return ['*', '-::*'];
  return ['127.0.0.1', '-::1', ...(password && typeof listening === 'object' ? [listening.address] : [])];
}
