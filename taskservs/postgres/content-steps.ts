import { quote, type Step, sh } from '../../sdk/index.js';
import { type Contents, MADE, PSQL } from './contents.js';
import type { PostgresConfig } from './postgres-config.js';

/**
 * Roles, passwords and databases that are missing or differ. Nothing is ever dropped. Of a server that could not be
 * asked all of them: each step makes things so, whatever they were, so that nothing is left to a second run.
 */
export function contentSteps(config: PostgresConfig, found: Contents): Step[] {
  return [
    ...config.users.flatMap((user) => {
      if (!found.roles.includes(user.name)) return [createRole(config.port, user)];
      return found.asked && found.logins.includes(user.name) ? [] : [setPassword(config.port, user)];
    }),
    ...config.databases.flatMap((database) => {
      const owner = found.databases[database.name];
      if (owner === undefined) return [createDatabase(config.port, database)];
      return found.asked && owner === database.owner ? [] : [changeOwner(config.port, database, owner)];
    }),
  ];
}

type User = PostgresConfig['users'][number];
type Database = PostgresConfig['databases'][number];

const psql = (port: number) => sh`runuser -u postgres -- ${PSQL} -p ${port} -d postgres -Xq -v ON_ERROR_STOP=1`;

/** As postgres: the directory is its own, and what it may put in place of the file is nothing that root should write to. */
const record = (...rows: string[]) => {
  const lines = rows.map((row) => sh`echo ${row} >>${MADE}`).join('\n');
  return sh`runuser -u postgres -- sh -c ${lines}`;
};
const forget = (kind: string, name: string) =>
  sh`runuser -u postgres -- sed -i ${`/^${kind}|${name}|/d`} ${MADE} 2>/dev/null || true`;

/**
 * Notes what was there before something is made: `former KIND|NAME|` where nothing was, which an undo may drop, else with
 * whose it was. A second attempt finds what the first one made, and leaves the note as it is.
 */
const noteFormer = (port: number, kind: 'role' | 'database', name: string) => {
  const sql =
    kind === 'role'
      ? `SELECT rolname FROM pg_roles WHERE rolname = '${name}'`
      : `SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = '${name}'`;
  const note = `former ${kind}|${name}|`;
  const append = `grep -q ${quote(`^${note}`)} ${MADE} 2>/dev/null || echo ${quote(note)}"$1" >>${MADE}`;
  return `former=$(${psql(port)} -tAc ${quote(sql)})
if [ -z "$former" ]; then ${forget(`former ${kind}`, name)}; fi
runuser -u postgres -- sh -c ${quote(append)} sh "$former"`;
};
const wasMissing = (kind: 'role' | 'database', name: string) =>
  sh`runuser -u postgres -- grep -qx ${`former ${kind}|${name}|`} ${MADE}`;

/** psql reads the password from its environment and quotes it: it appears in no argument and needs no care for quotes. */
const withPassword = (sql: string, { password }: User) => ({
  // Nor may the server log it, whatever its settings.
  stdin: `SET log_statement = 'none'; SET log_min_duration_statement = -1; SET log_min_error_statement = 'panic';
\\getenv password PASSWORD
${sql}
`,
  env: { PASSWORD: [password] },
});

/** Makes a role that lets its user in by the password, whether it is there or not. */
const makeRole = (port: number, user: User) => ({
  run: `${psql(port)}\n${record(`role|${user.name}|`, `login|${user.name}|`)}`,
  ...withPassword(
    `SELECT 'CREATE ROLE "${user.name}"' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${user.name}') \\gexec
ALTER ROLE "${user.name}" LOGIN PASSWORD :'password';`,
    user,
  ),
});

/** Makes a database that is its owner's, whether it is there or not. */
const makeDatabase = (port: number, { name, owner }: Database) => ({
  run: `${psql(port)}\n${record(`database|${name}|${owner}`)}`,
  stdin: `SELECT 'CREATE DATABASE "${name}" OWNER "${owner}" TEMPLATE template0 ENCODING ''UTF8'' LC_COLLATE ''C.UTF-8'' LC_CTYPE ''C.UTF-8'''
  WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '${name}') \\gexec
ALTER DATABASE "${name}" OWNER TO "${owner}";
`,
});

function createRole(port: number, user: User): Step {
  const { run, ...more } = makeRole(port, user);
  return {
    title: `Create the role ${user.name}`,
    run: `${noteFormer(port, 'role', user.name)}\n${run}`,
    ...more,
    // A role that owns something by now stays with it.
    undo: `if ${wasMissing('role', user.name)} && ${psql(port)} -c ${quote(`DROP ROLE IF EXISTS "${user.name}"`)}; then
${forget('former role', user.name)}
${forget('role', user.name)}
${forget('login', user.name)}
fi`,
  };
}

function setPassword(port: number, user: User): Step {
  return { title: `Set the password of the role ${user.name}`, ...makeRole(port, user), irreversible: true };
}

function createDatabase(port: number, database: Database): Step {
  const { name } = database;
  const tables = `SELECT count(*) FROM pg_class WHERE relnamespace NOT IN
  (SELECT oid FROM pg_namespace WHERE nspname LIKE 'pg\\_%' OR nspname = 'information_schema')`;
  const { run, stdin } = makeDatabase(port, database);
  const former = sh`runuser -u postgres -- sed -n ${`s/^former database|${name}|//p`} ${MADE}`;
  return {
    title: `Create the database ${name}`,
    run: `${noteFormer(port, 'database', name)}\n${run}`,
    stdin,
    // One that holds something by now stays, and one that was there before is again whose it was.
    undo: `if ${wasMissing('database', name)} && [ "$(${psql(port)} -tA -d ${quote(name)} -c ${quote(tables)})" = 0 ]; then
${psql(port)} -c ${quote(`DROP DATABASE "${name}"`)}
${forget('former database', name)}
${forget('database', name)}
else
former=$(${former} 2>/dev/null || true)
if [ -n "$former" ]; then echo ${quote(`ALTER DATABASE "${name}" OWNER TO :"former";`)} | ${psql(port)} -v former="$former"; fi
fi`,
  };
}

function changeOwner(port: number, database: Database, former: string): Step {
  const { name, owner } = database;
  return {
    title: `Give the database ${name} to ${owner}`,
    ...makeDatabase(port, database),
    undo: `${psql(port)} -c ${quote(`ALTER DATABASE "${name}" OWNER TO "${former}"`)}\n${record(`database|${name}|${former}`)}`,
  };
}
