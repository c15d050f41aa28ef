import { type CommandOutput, fact, sh } from '../../sdk/index.js';
import type { PostgresConfig } from './postgres-config.js';

/** What is inside the server. */
export interface Contents {
  /** The server itself told. Else it does not answer, and this is what was once made by us: it may be otherwise by now. */
  asked: boolean;
  roles: string[];
  /** Owner by database. */
  databases: Record<string, string>;
  /** Users of the configuration that the wanted password lets in. */
  logins: string[];
}

const QUERY = `SELECT 'role', rolname, '' FROM pg_roles
UNION ALL SELECT 'database', datname, pg_get_userbyid(datdba) FROM pg_database`;

/** As postgres: in its own directory it can put anything in place of a file. */
const asPostgres = (command: string): string => `timeout 5 runuser -u postgres -- ${command} 2>/dev/null`;

/** Sets `at` to where the newest version lies that has a file, which is kept from what postgres could call a folder of its own. */
const newest = (name: string): string => `at=
for one in $(ls -d /var/lib/postgresql/*/main/${name} 2>/dev/null | sort -rV); do
  version=\${one#/var/lib/postgresql/}; version=\${version%%/*}
  case "$version" in *[!0-9]*) ;; *) at=/var/lib/postgresql/$version/main; break ;; esac
done`;

/** Of the server that runs: its version and its port, for the wanted ones may be others. */
const RUNNING = `${newest('postmaster.pid')}
psql=/usr/lib/postgresql/$version/bin/psql; port=
[ -z "$at" ] || port=$(${asPostgres('sed -n 4p "$at/postmaster.pid"')})`;

/** Rows of the query, kept by the steps that made the things: what is inside cannot be asked while the server is stopped. */
const MADE = `${newest('provisioning.made')}
[ -z "$at" ] || ${asPostgres('cat "$at/provisioning.made"')}`;

/**
 * Roles and databases, and which passwords are right: tried out, since hashes cannot be compared. A port is no proof
 * that a server answers at it: one that was killed leaves its own behind, and one that starts answers nothing yet.
 */
export function contentsFact({ users, databases }: PostgresConfig) {
  const empty: Contents = { asked: false, roles: [], databases: {}, logins: [] };
  if (users.length === 0 && databases.length === 0) return fact<Contents>('true', () => empty, empty);
  const tries = users.map(
    ({ name }, index) =>
      sh`{ PGPASSWORD="$PASSWORD_${index}" "$psql" -h 127.0.0.1 -p "$port" -U ${name} -d postgres -w -XtAc 'SELECT 1' >/dev/null 2>&1 && echo ${`login|${name}|`}; } &`,
  );
  const env = Object.fromEntries(users.map(({ password }, index) => [`PASSWORD_${index}`, [password]]));
  return fact<Contents>(
    [
      'export PGCONNECT_TIMEOUT=3',
      RUNNING,
      'asked=',
      'if [ -n "$port" ]; then',
      sh`runuser -u postgres -- "$psql" -p "$port" -d postgres -XtAc ${QUERY} & asking=$!`,
      ...tries,
      'wait "$asking" && asked=yes',
      'wait',
      'fi',
      `if [ -n "$asked" ]; then echo 'asked||'; else ${MADE}; fi`,
    ].join('\n'),
    readContents,
    empty,
    env,
  );
}

function readContents({ stdout }: CommandOutput): Contents {
  const rows = stdout.split('\n').map((line) => line.split('|'));
  const of = (kind: string) => rows.filter(([first]) => first === kind).map(([, name = '', owner = '']) => [name, owner] as const);
  return {
    asked: of('asked').length > 0,
    roles: of('role').map(([name]) => name),
    databases: Object.fromEntries(of('database')),
    logins: of('login').map(([name]) => name),
  };
}
