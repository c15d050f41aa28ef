import type { ListenAddress } from '../../../core/host/listening.js';
import { quote, sh } from '../../../core/host/shell.js';
import type { ServiceTls } from '../../../core/schema/service-tls.js';
import { MANAGED_FILE_HEADER } from '../../../core/taskserv/managed-file-header.js';
import { type SecretRef, secretAs, type Text, text } from '../../../core/taskserv/secret.js';
import { TLS12_CIPHERS } from '../../../core/taskserv/tls.js';
import type { Places } from './places.js';

export interface KeyValueConfig {
  port: number;
  password?: SecretRef | undefined;
  tls?: (ServiceTls & { port: number; required: boolean }) | undefined;
  bind?: string[] | undefined;
  /** Bytes. */
  maxMemory: number;
  maxMemoryPolicy: string;
  persistence: 'snapshot' | 'append-only' | 'none';
  /** Name of the group. Absent: a single server. */
  cluster?: string | undefined;
  sentinelPort: number;
  /** Signs the certificates of members. */
  authority?: SecretRef | undefined;
}

/** Seconds after which a replica that was not heard of does not count. */
const MAX_LAG = 10;

/**
 * How many replicas a primary needs to take writes: with it they are a majority, which a primary that is cut off does not have.
 *
 * @param members how many the cluster has
 */
export const countReplicas = (members: number): number => Math.floor(members / 2);

/** The port by which members reach each other's server. */
export const memberPort = ({ port, tls }: Pick<KeyValueConfig, 'port' | 'tls'>): number => tls?.port ?? port;

/**
 * The content of redis.conf.
 *
 * @param listening where it listens, if its configuration does not say it
 * @param server its name, by which other members reach it
 * @param members how many it has, if it belongs to a cluster
 */
export function serverConf(
  places: Places,
  config: KeyValueConfig,
  listening: ListenAddress,
  server: string,
  members: number,
): Text {
  const { cluster, password, tls } = config;
  const lines = [
    MANAGED_FILE_HEADER,
    `bind ${listAddresses(config, listening).join(' ')}`,
    'protected-mode yes',
    `port ${tls?.required ? 0 : config.port}`,
    ...tlsLines(places, tls, cluster !== undefined),
    'tcp-keepalive 300',
    `pidfile /run/${places.name}/${places.server}.pid`,
    `logfile ${places.log}/${places.server}.log`,
    `dir ${places.data}`,
    `maxmemory ${config.maxMemory}`,
    `maxmemory-policy ${config.maxMemoryPolicy}`,
    config.persistence === 'snapshot' ? 'save 3600 1 300 100 60 10000' : 'save ""',
    `appendonly ${config.persistence === 'append-only' ? 'yes' : 'no'}`,
    ...(cluster === undefined ? [] : memberLines(places, server, members)),
  ];
  const written = `${lines.join('\n')}\n`;
  if (!password) return written;
  const one = secretAs('redis', password);
  return cluster === undefined ? text`${written}requirepass ${one}\n` : text`${written}masterauth ${one}\nrequirepass ${one}\n`;
}

/** What sentinel changes is the role, which is not in this file. */
const memberLines = ({ role }: Places, server: string, members: number): string[] => [
  `replica-announce-ip ${server}`,
  // A primary that few replicas follow takes no writes: they would be lost with it.
  ...(members < 2 ? [] : [`min-replicas-to-write ${countReplicas(members)}`, `min-replicas-max-lag ${MAX_LAG}`]),
  'repl-diskless-sync-delay 0',
  `include ${role}`,
];

/**
 * What the platform wants of sentinel, which rewrites its own file. At each start the program makes that of both.
 *
 * @param members how many
 */
export function sentinelConf(
  places: Places,
  config: KeyValueConfig & { cluster: string; password: SecretRef },
  { listening, server, members }: { listening: ListenAddress; server: string; members: number },
): Text {
  const { cluster, tls, sentinelPort } = config;
  const lines = [
    MANAGED_FILE_HEADER,
    `bind ${listAddresses(config, listening).join(' ')}`,
    'protected-mode no',
    ...(tls ? ['port 0', ...tlsLines(places, { ...tls, port: sentinelPort }, true)] : [`port ${sentinelPort}`]),
    `pidfile /run/sentinel/${places.sentinel}.pid`,
    `logfile ${places.log}/${places.sentinel}.log`,
    `dir ${places.data}`,
    'sentinel resolve-hostnames yes',
    'sentinel announce-hostnames yes',
    `sentinel announce-ip ${server}`,
    'sentinel deny-scripts-reconfig yes',
    `sentinel monitor ${cluster} {primary} ${Math.floor(members / 2) + 1}`,
    `sentinel down-after-milliseconds ${cluster} 5000`,
    `sentinel failover-timeout ${cluster} 30000`,
    `sentinel parallel-syncs ${cluster} 1`,
  ];
  const one = secretAs('redis', config.password);
  return text`${`${lines.join('\n')}\n`}requirepass ${one}\nsentinel sentinel-pass ${one}\nsentinel auth-pass ${cluster} ${one}\n`;
}

function tlsLines({ certificate, key, authority }: Places, tls: KeyValueConfig['tls'], isMember: boolean): string[] {
  if (!tls) return [];
  return [
    `tls-port ${tls.port}`,
    `tls-cert-file ${certificate}`,
    `tls-key-file ${key}`,
    // Clients log in by their password.
    'tls-auth-clients no',
    `tls-protocols "${tls.minimum === 'TLSv1.3' ? 'TLSv1.3' : 'TLSv1.2 TLSv1.3'}"`,
    `tls-ciphers ${TLS12_CIPHERS}`,
    ...(isMember ? ['tls-replication yes', `tls-ca-cert-file ${authority}`] : []),
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
 * Has the running server read its certificate again, which ends no connection and loses no data. The script reads port and
 * password from the configuration on the host, and holds no secret. A server that refuses is restarted. Sentinel of a member
 * is restarted always: it keeps no data.
 */
export function renewTls({ conf, cli, server, sentinel, certificate, key, wanted }: Places): string {
  return `${readPassword(conf)}
read_password
[ -z "$password" ] || export REDISCLI_AUTH="$password"
${sh`${cli} -e --tls --insecure -p "$(sed -n 's/^tls-port //p' ${conf})" config set tls-cert-file ${certificate} tls-key-file ${key} >/dev/null ||
  systemctl restart ${server}
if [ -e ${wanted} ]; then systemctl try-restart ${sentinel}; fi`}`;
}

/** A leading `-` lets it start where the address does not exist (no IPv6). */
function listAddresses({ bind, password, cluster }: KeyValueConfig, listening: ListenAddress): string[] {
  if (bind) return [...new Set(['127.0.0.1', ...bind])];
  if (password && listening === 'all') return ['*', '-::*'];
  return [
    ...['127.0.0.1', '-::1'],
    // Images give the host's own name this address, and its sentinel asks its server by that name.
    ...(cluster === undefined ? [] : ['-127.0.1.1']),
    ...(password && typeof listening === 'object' ? [listening.address] : []),
  ];
}
