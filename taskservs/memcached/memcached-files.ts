import {
  addressesOf,
  hostPart,
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

export interface MemcachedConfig {
  port: number;
  users: { name: string; password: SecretRef }[];
  tls?: (ServiceTls & { port: number; required: boolean }) | undefined;
  /** Bytes. */
  memory: number;
  /** Bytes. */
  maxItem: number;
  connections: number;
}

export const USERS = '/etc/memcached.users';
export const RELOAD = '/usr/local/sbin/memcached-reload';
export const MIB = 2 ** 20;

const HEAD = `${MANAGED_FILE_HEADER}\n`;

/** Listen addresses without TLS and with TLS. */
export interface Listens {
  plain: ListenAddress;
  tls: ListenAddress;
}

/** Options, a line each. */
export function memcachedConf(config: MemcachedConfig, listening: Listens): string {
  const { port, users, memory, maxItem, connections } = config;
  const lines = [
    '-u memcache',
    '-P /run/memcached/memcached.pid',
    `-p ${port}`,
    ...listeners(config, listening),
    `-m ${Math.floor(memory / MIB)}`,
    `-I ${Math.floor(maxItem / 1024)}k`,
    `-c ${connections}`,
    ...(users.length > 0 ? [`-Y ${USERS}`] : []),
  ];
  return `${HEAD}${lines.join('\n')}\n`;
}

function listeners({ port, tls }: MemcachedConfig, listening: Listens): string[] {
  if (!tls) return (addressesOf(listening.plain) ?? []).map((address) => `-l ${hostPart(address)}`);
  const { certificate, key } = tlsFiles('memcached');
  const options = [
    `ssl_chain_cert=${certificate}`,
    `ssl_key=${key}`,
    `ssl_min_version=${tls.minimum === 'TLSv1.3' ? 3 : 2}`,
    `ssl_ciphers=${TLS12_CIPHERS}`,
  ];
  return [
    '-Z',
    `-o ${options.join(',')}`,
    ...hostsOf(listening.plain).map((host) => `-l notls:${host}:${port}`),
    ...hostsOf(listening.tls).map((host) => `-l ${host}:${tls.port}`),
  ];
}

/** As they stand before a port; `*` is all of them. */
const hostsOf = (listening: ListenAddress): string[] => addressesOf(listening)?.map(hostPart) ?? ['*'];

/** Users and their passwords, a line each; undefined where there are none. */
export function usersFile({ users }: MemcachedConfig): Text | undefined {
  if (users.length === 0) return undefined;
  return text`${users.flatMap(({ name, password }) => text`${name}:${secretAs('memcached', password)}\n`)}`;
}

/**
 * Debian's wrapper hands `[` and `*` to a shell, which stays above memcached: a signal to the unit's process would end it.
 */
const START = `ExecStart=
ExecStart=/bin/bash -c 'set -f; exec /usr/bin/memcached $$(grep -v "^#" /etc/memcached.conf)'
`;

/** A drop-in of the unit, by which it reloads; undefined where there is nothing to reload. */
export function dropIn(config: MemcachedConfig, listening: Listens): string | undefined {
  const { users, tls } = config;
  if (!tls && users.length === 0) return undefined;
  const start = tls || memcachedConf(config, listening).includes('[') ? START : '';
  // The unit may do nothing to processes of other users, and memcached is one.
  return `${HEAD}[Service]\n${start}ExecReload=+${tls ? RELOAD : '/bin/kill -HUP $MAINPID'}\n`;
}

/**
 * A script that has the running memcached read its users and its certificate again, which loses no item and ends no
 * connection; undefined without TLS. It asks on loopback, as the first user, and holds no secret.
 */
export function reloadScript({ port, users, tls }: MemcachedConfig): string | undefined {
  if (!tls) return undefined;
  const isAsked = users.length > 0;
  return `#!/bin/bash
${HEAD}set -u
export LC_ALL=C
${isAsked ? 'kill -HUP "$MAINPID" || exit 1\n' : ''}ask() {
  exec 3<>/dev/tcp/127.0.0.1/${port} || return
${isAsked ? LOG_IN : ''}  printf 'refresh_certs\\r\\n' >&3
  IFS= read -r -t 5 answer <&3
}
answer='no answer'
# Users are read some time after the signal, and a server that just starts does not listen yet.
for _ in $(seq 50); do
  if ask 2>/dev/null && [ "$answer" = $'OK\\r' ]; then exit 0; fi
  sleep 0.2
done
echo "memcached does not take in its certificate: $answer" >&2
exit 1
`;
}

const LOG_IN = `  IFS= read -r user <${USERS} || return
  login="\${user%%:*} \${user#*:}"
  printf 'set provisioning 0 0 %s\\r\\n%s\\r\\n' "\${#login}" "$login" >&3
  IFS= read -r -t 5 answer <&3 && [ "$answer" = $'STORED\\r' ] || return
`;

/** A script that writes an item and reads it, as the user of its environment, by the connection 3. */
export const WRITE_AND_READ = `export LC_ALL=C
if [ -n "\${MEMCACHED_USER-}" ]; then
  login="$MEMCACHED_USER $MEMCACHED_PASSWORD"
  printf 'set provisioning 0 0 %s\\r\\n%s\\r\\n' "\${#login}" "$login" >&3
fi
printf 'set provisioning.health 0 60 2\\r\\nok\\r\\nget provisioning.health\\r\\n' >&3
while IFS= read -r -t 3 line <&3; do
  case "$line" in
    'VALUE provisioning.health 0 2'*) echo read; exit ;;
    *ERROR* | END*) echo "$line"; exit 1 ;;
  esac
done
exit 1`;
