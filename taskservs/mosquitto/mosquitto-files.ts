import {
  addressesOf,
  type ListenAddress,
  MANAGED_FILE_HEADER,
  type SecretRef,
  type ServiceTls,
  secretAs,
  type Text,
  TLS12_CIPHERS,
  text,
  tlsFiles,
} from '../../sdk/index.js';

export interface MosquittoConfig {
  port: number;
  users: { name: string; password: SecretRef; topics?: { topic: string; access: 'read' | 'write' | 'readwrite' }[] }[];
  tls?: (ServiceTls & { port: number; required: boolean }) | undefined;
  persistence: boolean;
  /** Bytes. */
  maxMessage: number;
  maxQueued: number;
}

export const ACCOUNTS = '/etc/mosquitto/accounts';
export const ACL = '/etc/mosquitto/acl';
export const HASH_SCRIPT = '/usr/local/sbin/mosquitto-hash-passwords';
const HASHES = '/run/mosquitto-accounts/passwords';

/** The topic of the health check. */
export const HEALTH_TOPIC = 'provisioning/health';

const HEAD = `${MANAGED_FILE_HEADER}\n`;

const hasUsers = ({ users }: MosquittoConfig): boolean => users.length > 0;

const listeners = (port: number, listening: ListenAddress): string[] =>
  (addressesOf(listening) ?? ['0.0.0.0']).map((address) => `listener ${port} ${address}`);

/** Each listener has what follows it. */
function tlsListeners({ tls }: MosquittoConfig, listening: ListenAddress): string[] {
  if (!tls) return [];
  const { certificate, key } = tlsFiles('mosquitto');
  const own = [`certfile ${certificate}`, `keyfile ${key}`, `tls_version ${tls.minimum.toLowerCase()}`, `ciphers ${TLS12_CIPHERS}`];
  return listeners(tls.port, listening).flatMap((listener) => [listener, ...own]);
}

/** Listen addresses without TLS and with TLS. */
export interface Listens {
  plain: ListenAddress;
  tls: ListenAddress;
}

/** The content of mosquitto.conf. */
export function mosquittoConf(config: MosquittoConfig, listening: Listens): string {
  const lines = [
    ...listeners(config.port, listening.plain),
    ...tlsListeners(config, listening.tls),
    ...(hasUsers(config) ? ['allow_anonymous false', `password_file ${HASHES}`, `acl_file ${ACL}`] : ['allow_anonymous true']),
    `max_packet_size ${config.maxMessage}`,
    `max_queued_messages ${config.maxQueued}`,
    `persistence ${config.persistence}`,
    'persistence_location /var/lib/mosquitto/',
    'pid_file /run/mosquitto/mosquitto.pid',
    // The journal has it.
    'log_dest stderr',
    'log_timestamp false',
  ];
  return `${HEAD}${lines.join('\n')}\n`;
}

/** Accounts and their passwords, a line each, readable for root only; undefined where there are none. */
export function accounts(config: MosquittoConfig): Text | undefined {
  if (!hasUsers(config)) return undefined;
  const lines = config.users.map(({ name, password }) => text`${name}:${secretAs('mosquitto', password)}\n`);
  return text`${lines.flat()}`;
}

/** Topics that each account may read and write. Undefined without accounts. */
export function acl(config: MosquittoConfig): string | undefined {
  if (!hasUsers(config)) return undefined;
  const users = config.users.flatMap(({ name, topics }) => [
    `user ${name}`,
    ...(topics ? topics.map(({ topic, access }) => `topic ${access} ${topic}`) : ['topic readwrite #']),
    ...(topics ? [`topic readwrite ${HEALTH_TOPIC}`] : []),
  ]);
  return `${HEAD}${users.join('\n')}\n`;
}

/** A script that makes the hashes of the passwords; undefined where there are no accounts. */
export function hashScript(config: MosquittoConfig): string | undefined {
  if (!hasUsers(config)) return undefined;
  return `#!/bin/sh
${HEAD}set -eu
umask 077
: >${HASHES}.new
while IFS= read -r line; do
  # It asks twice. Its own way to do all of a file takes a password for what stands before the first colon in it.
  printf '%s\\n%s\\n' "\${line#*:}" "\${line#*:}" | mosquitto_passwd ${HASHES}.new "\${line%%:*}" >/dev/null
done <${ACCOUNTS}
chgrp mosquitto ${HASHES}.new
chmod 0640 ${HASHES}.new
mv ${HASHES}.new ${HASHES}
`;
}

/** A drop-in of the unit that makes the hashes, which mosquitto reads, at each start and reload. */
export function dropIn(config: MosquittoConfig): string | undefined {
  if (!hasUsers(config)) return undefined;
  return `${HEAD}[Service]
RuntimeDirectory=mosquitto-accounts
ExecStartPre=${HASH_SCRIPT}
ExecReload=
ExecReload=${HASH_SCRIPT}
ExecReload=/bin/kill -HUP $MAINPID
`;
}
