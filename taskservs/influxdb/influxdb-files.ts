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

export interface Account {
  name: string;
  password: SecretRef;
}

export interface InfluxdbConfig {
  port: number;
  backupPort: number;
  admin?: Account;
  users: Account[];
  tls?: ServiceTls | undefined;
  /** Retention in seconds. */
  databases: { name: string; owner?: string; retention?: number | 'forever' }[];
}

export const CONF = '/etc/influxdb/influxdb.conf';
export const STATEMENTS = '/etc/influxdb/provisioning.influxql';
export const SCRIPT = '/etc/influxdb/provisioning.sh';

/** The content of influxdb.conf. */
export function influxdbConf({ port, backupPort, admin, tls }: InfluxdbConfig, listening: ListenAddress): string {
  return `${MANAGED_FILE_HEADER}
reporting-enabled = false
bind-address = "127.0.0.1:${backupPort}"
[meta]
  dir = "/var/lib/influxdb/meta"
[data]
  dir = "/var/lib/influxdb/data"
  wal-dir = "/var/lib/influxdb/wal"
  query-log-enabled = false
[http]
  bind-address = "${listening === 'all' ? '' : askAt(listening)}:${port}"
  auth-enabled = ${admin !== undefined}
  log-enabled = false
  pprof-enabled = false
${tls ? HTTPS : ''}[ifql]
  enabled = false
`;
}

// It names these two in a way of its own.
const CIPHERS = TLS12_GO_CIPHERS.map((cipher) => cipher.replace('CHACHA20_POLY1305_SHA256', 'CHACHA20_POLY1305'));

const HTTPS = `  https-enabled = true
  https-certificate = "${tlsFiles('influxdb').certificate}"
  https-private-key = "${tlsFiles('influxdb').key}"
[tls]
  min-version = "tls1.2"
  ciphers = [${CIPHERS.map((cipher) => `"${cipher}"`).join(', ')}]
`;

/**
 * Statements for a database. An existing database keeps what the entry omits: its retention and, if possible, its
 * shard size.
 */
function databaseOf(name: string, retention: number | 'forever' | undefined): string[] {
  if (retention === undefined) return [`CREATE DATABASE "${name}"\n`];
  const duration = `DURATION ${retention === 'forever' ? 'INF' : `${retention}s`}`;
  return [`CREATE DATABASE "${name}" WITH ${duration}\n`, `ALTER RETENTION POLICY "autogen" ON "${name}" ${duration}\n`];
}

/** Statements that bring accounts and databases about, whatever they were, a line each; undefined where there are none. */
export function statements({ admin, users, databases }: InfluxdbConfig): Text | undefined {
  const account = ({ name, password }: Account, more = '') => [
    text`CREATE USER "${name}" WITH PASSWORD ${secretAs('influxql', password)}${more}\n`,
    text`SET PASSWORD FOR "${name}" = ${secretAs('influxql', password)}\n`,
  ];
  const lines = [
    ...(admin ? [...account(admin, ' WITH ALL PRIVILEGES'), `GRANT ALL PRIVILEGES TO "${admin.name}"\n`] : []),
    ...users.flatMap((user) => account(user)),
    ...databases.flatMap(({ name, owner, retention }) => [
      ...databaseOf(name, retention),
      ...(owner === undefined ? [] : [`GRANT ALL ON "${name}" TO "${owner}"\n`]),
    ]),
  ];
  return lines.length === 0 ? undefined : text`${lines.flat()}`;
}

/** The script before its start; undefined where there is nothing to say. */
export const script = (config: InfluxdbConfig): string | undefined => statements(config) && beforeStart(config.tls !== undefined);

/**
 * Runs the statements on a server that only root can reach, before the unit's server listens. A server without an
 * administrator would accept the first client as administrator.
 */
const beforeStart = (tls: boolean) => `#!/bin/bash
${MANAGED_FILE_HEADER}
# Brings accounts and databases about, by a server in a network of its own, on the metadata and without the data.
set -eu
if [ "\${1-}" != apart ]; then exec unshare --net "$0" apart; fi
ip link set lo up
work=$(mktemp -d /run/influxdb-XXXXXX)
chown influxdb:influxdb "$work"
env INFLUXDB_BIND_ADDRESS=127.0.0.1:8088 INFLUXDB_HTTP_BIND_ADDRESS=127.0.0.1:8086 INFLUXDB_HTTP_AUTH_ENABLED=false \\
  INFLUXDB_DATA_DIR="$work/data" INFLUXDB_DATA_WAL_DIR="$work/wal" INFLUXDB_MONITOR_STORE_ENABLED=false \\
  INFLUXDB_CONTINUOUS_QUERIES_ENABLED=false INFLUXDB_RETENTION_ENABLED=false ${tls ? 'INFLUXDB_HTTP_HTTPS_ENABLED=false ' : ''}\\
  setpriv --reuid influxdb --regid influxdb --init-groups influxd -config ${CONF} >"$work/log" 2>&1 &
server=$!
trap 'kill $server; wait $server || true; rm -rf "$work"' EXIT
ask() { curl -sS --noproxy '*' --data-urlencode q@- http://127.0.0.1:8086/query; }
for _ in $(seq 150); do
  if ask <<<'SHOW DATABASES' 2>/dev/null | grep -q results; then break; fi
  sleep 0.2
done
while IFS= read -r statement; do
  answer=$(ask <<<"$statement") || answer=
  case "$answer" in
    *'retention policy duration must be greater than the shard duration'*) answer=$(ask <<<"$statement SHARD DURATION 0s") || answer= ;;
  esac
  case "$answer" in
    *'"error":"user already exists"'* | *'"error":"retention policy conflicts with an existing policy"'*) ;;
    *'"error"'*)
      # What it says of a statement may have parts of it, and behind the first quote all is secret.
      case "$statement" in *\\'*) answer='what it says is not shown, since the statement has a password' ;; esac
      printf 'influxdb refuses the statement %s: %s\\n' "\${statement%%\\'*}" "$answer" >&2
      exit 1
      ;;
    *results*) ;;
    *) tail -n1 "$work/log" >&2; echo 'influxdb does not answer' >&2; exit 1 ;;
  esac
done <${STATEMENTS}
`;

export const DROP_IN = `${MANAGED_FILE_HEADER}
[Service]
ExecStartPre=+${SCRIPT}
`;
