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

export const PSQL = '/usr/lib/postgresql/15/bin/psql';

const QUERY = `SELECT 'role', rolname, '' FROM pg_roles
UNION ALL SELECT 'database', datname, pg_get_userbyid(datdba) FROM pg_database`;

/** Rows of the query, kept by the steps that made the things: what is inside cannot be asked while the server is stopped. */
export const MADE = '/var/lib/postgresql/15/main/provisioning.made';

/** Reads as postgres: in its own directory it can put anything in place of a file. */
function asPostgres(command: string): string {
  return `timeout 5 runuser -u postgres -- ${command} 2>/dev/null`;
}

/** The port comes from the server that runs, for the wanted one may be another. */
const PORT = `port=$(${asPostgres('sed -n 4p /var/lib/postgresql/15/main/postmaster.pid')})`;

/**
 * Roles and databases, and which passwords are right: tried out, since hashes cannot be compared. A port is no proof
 * that a server answers at it: one that was killed leaves its own behind, and one that starts answers nothing yet.
 */
export function contentsFact({ users, databases }: PostgresConfig) {
  const empty: Contents = { asked: false, roles: [], databases: {}, logins: [] };
  if (users.length === 0 && databases.length === 0) return fact<Contents>('true', () => empty, empty);
  const tries = users.map(
    ({ name }, index) =>
      sh`{ PGPASSWORD="$PASSWORD_${index}" ${PSQL} -h 127.0.0.1 -p "$port" -U ${name} -d postgres -w -XtAc 'SELECT 1' >/dev/null 2>&1 && echo ${`login|${name}|`}; } &`,
  );
  const env = Object.fromEntries(users.map(({ password }, index) => [`PASSWORD_${index}`, [password]]));
  return fact<Contents>(
    [
      `export PGCONNECT_TIMEOUT=3; ${PORT}; asked=`,
      'if [ -n "$port" ]; then',
      sh`runuser -u postgres -- ${PSQL} -p "$port" -d postgres -XtAc ${QUERY} & asking=$!`,
      ...tries,
      'wait "$asking" && asked=yes',
      'wait',
      'fi',
      `if [ -n "$asked" ]; then echo 'asked||'; else ${asPostgres(`cat ${MADE}`)}; fi`,
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
