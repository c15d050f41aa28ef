import { type CommandOutput, fact, sh } from '../../sdk/index.js';
import { AS_POSTGRES } from './places.js';
import type { PostgresConfig } from './postgres-config.js';

/** Roles and databases of the server. */
export interface Contents {
  /** The server itself told. Else it does not answer, and this is what was once made by us: it may be otherwise by now. */
  asked: boolean;
  roles: string[];
  /** Owner by database. */
  databases: Record<string, string>;
  /** Users of the configuration that the wanted password lets in. */
  logins: string[];
}

/** With names in full: whoever asks may have others in a place that is looked through first. */
const QUERY = `SELECT 'role', rolname, '' FROM pg_catalog.pg_roles
UNION ALL SELECT 'database', datname, pg_catalog.pg_get_userbyid(datdba) FROM pg_catalog.pg_database`;

/** Runs as postgres, which can replace any file in its own directory. */
const asPostgres = (command: string): string => `timeout 5 ${AS_POSTGRES} ${command} 2>/dev/null`;

/**
 * Sets `at` to the folder of the newest version that has the file. Folders with other names, which postgres could
 * make, do not count.
 */
const newest = (name: string): string => `at= version=
for one in /var/lib/postgresql/*/main/${name}; do
  number=\${one#/var/lib/postgresql/}; number=\${number%%/*}
  [ -e "$one" ] || [ -L "$one" ] || continue
  case "$number" in *[!0-9]* | ????*) continue ;; esac
  if [ "$number" -gt "\${version:-0}" ]; then version=$number; at=/var/lib/postgresql/$version/main; fi
done`;

/** Version and port of the running server, which may differ from the wanted ones. */
const RUNNING = `${newest('postmaster.pid')}
psql=/usr/lib/postgresql/$version/bin/psql; port=
[ -z "$at" ] || port=$(${asPostgres('sed -n 4p "$at/postmaster.pid"')})`;

/**
 * Tells this data from other data. The copy that an upgrade makes has another identifier, so that it keeps the word of the
 * former one.
 */
export const identityFact = fact(
  `${newest('postmaster.pid')}
[ -n "$at" ] || { ${newest('PG_VERSION')}; }
[ -n "$at" ] || exit 0
${asPostgres('cat "$at/provisioning.identity"')} || LC_ALL=C ${asPostgres('/usr/lib/postgresql/"$version"/bin/pg_controldata "$at"')} | sed -n 's/^Database system identifier: *//p'`,
  ({ stdout }) => /^[0-9]{1,20}$/.exec(stdout.trim())?.[0] ?? '',
  '',
);

/** Rows of the query, kept by the steps that made the things: what is inside cannot be asked while the server is stopped. */
const MADE = `${newest('provisioning.made')}
[ -z "$at" ] || ${asPostgres('cat "$at/provisioning.made"')}`;

/** Logs in. Encryption, which takes as long as all else, is left to servers that want it; the password goes to this host only. */
const LOGIN = `login() { PGPASSWORD="$2" PGGSSENCMODE=disable PGSSLMODE=allow "$psql" -h 127.0.0.1 -p "$port" -U "$1" -d postgres -w -XtAc "$3" 2>/dev/null; }`;

/** Asks `$query` of the server as the first user, who may read all of it, and as postgres where that fails; tries the others beside it. */
function questions(users: PostgresConfig['users']): string[] {
  const ask = `${AS_POSTGRES} "$psql" -p "$port" -d postgres -XtAc "$query" && asked=yes`;
  const [first, ...others] = users.map(({ name }, index) => ({
    login: `login ${sh`${name}`} "$PASSWORD_${index}"`,
    tell: sh`echo ${`login|${name}|`}`,
  }));
  if (!first) return [ask];
  return [
    LOGIN,
    `${first.login} "$query" & first=$!`,
    'trying=()',
    ...others.map(({ login }) => `${login} 'SELECT 1' >/dev/null & trying+=($!)`),
    `if wait "$first"; then asked=yes; ${first.tell}; else ${ask}; fi`,
    // Told one after the other: what is written at the same time can be torn.
    ...others.map(({ tell }, index) => `wait "\${trying[${index}]}" && ${tell}`),
  ];
}

/**
 * Fact with roles, databases and correct passwords. Passwords are tried out, because hashes cannot be compared.
 *
 * A port does not prove that a server answers: a killed server leaves its port behind, and a starting one answers
 * nothing yet.
 */
export function contentsFact({ users, databases }: PostgresConfig) {
  const empty: Contents = { asked: false, roles: [], databases: {}, logins: [] };
  if (users.length === 0 && databases.length === 0) return fact<Contents>('true', () => empty, empty);
  const env = Object.fromEntries(users.map(({ password }, index) => [`PASSWORD_${index}`, [password]]));
  return fact<Contents>(
    [
      'export PGCONNECT_TIMEOUT=3',
      RUNNING,
      'asked=',
      'if [ -n "$port" ]; then',
      sh`query=${QUERY}`,
      ...questions(users),
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
