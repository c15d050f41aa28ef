import { quote, type Step, sh } from '../../sdk/index.js';
import type { Contents } from './contents.js';
import type { Places } from './places.js';
import type { PostgresConfig } from './postgres-config.js';

/**
 * Steps for roles, passwords and databases that are missing or differ. Nothing is ever dropped. If the server could
 * not be queried, all of them get a step. Each step works whatever the former state was, so nothing is left to a
 * second run.
 */
export function contentSteps(config: PostgresConfig, found: Contents, { bin, made }: Places): Step[] {
  const at: Server = { psql: `${bin}/psql`, port: config.port, made };
  return [
    ...config.users.flatMap((user) => {
      if (!found.roles.includes(user.name)) return [createRole(at, user)];
      return found.asked && found.logins.includes(user.name) ? [] : [setPassword(at, user)];
    }),
    ...config.databases.flatMap((database) => {
      const owner = found.databases[database.name];
      if (owner === undefined) return [createDatabase(at, database)];
      if (database.owner === undefined || (found.asked && owner === database.owner)) return [];
      return [changeOwner(at, { ...database, owner: database.owner }, owner)];
    }),
  ];
}

/** The server that is asked, and where it is noted what was made in it. */
interface Server {
  psql: string;
  port: number;
  made: string;
}

type User = PostgresConfig['users'][number];
type Database = PostgresConfig['databases'][number];

const psql = ({ psql, port }: Server) => sh`runuser -u postgres -- ${psql} -p ${port} -d postgres -Xq -v ON_ERROR_STOP=1`;

/** Runs as postgres, which owns the directory. Root must not write to a file that postgres can replace. */
const record = ({ made }: Server, ...rows: string[]) => {
  const lines = rows.map((row) => sh`echo ${row} >>${made}`).join('\n');
  return sh`runuser -u postgres -- sh -c ${lines}`;
};
const forget = ({ made }: Server, kind: string, name: string) =>
  sh`runuser -u postgres -- sed -i ${`/^${kind}|${name}|/d`} ${made} 2>/dev/null || true`;

const ownerOf = (database: string) => `SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = '${database}'`;

/**
 * Notes what was there before something is made: `former KIND|NAME|` where nothing was, which an undo may drop, else with
 * whose it was. A second attempt finds what the first one made, and leaves the note as it is.
 */
const noteFormer = (at: Server, kind: 'role' | 'database', name: string) => {
  const sql = kind === 'role' ? `SELECT rolname FROM pg_roles WHERE rolname = '${name}'` : ownerOf(name);
  const note = `former ${kind}|${name}|`;
  const append = `grep -q ${quote(`^${note}`)} ${at.made} 2>/dev/null || echo ${quote(note)}"$1" >>${at.made}`;
  return `former=$(${psql(at)} -tAc ${quote(sql)})
if [ -z "$former" ]; then ${forget(at, `former ${kind}`, name)}; fi
runuser -u postgres -- sh -c ${quote(append)} sh "$former"`;
};
const wasMissing = ({ made }: Server, kind: 'role' | 'database', name: string) =>
  sh`runuser -u postgres -- grep -qx ${`former ${kind}|${name}|`} ${made}`;

/** psql reads the password from its environment and quotes it: it appears in no argument and needs no care for quotes. */
const withPassword = (sql: string, { password }: User) => ({
  // The server must not log it either, whatever its settings.
  stdin: `SET log_statement = 'none'; SET log_min_duration_statement = -1; SET log_min_error_statement = 'panic';
\\getenv password PASSWORD
${sql}
`,
  env: { PASSWORD: [password] },
});

/** Makes a role that lets its user in by the password, whether it is there or not. */
const makeRole = (at: Server, user: User) => ({
  run: `${psql(at)}\n${record(at, `role|${user.name}|`, `login|${user.name}|`)}`,
  ...withPassword(
    `SELECT 'CREATE ROLE "${user.name}"' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${user.name}') \\gexec
ALTER ROLE "${user.name}" LOGIN PASSWORD :'password';`,
    user,
  ),
});

/** One that is there may be anyone's, if the definition does not say whose it is. */
const recordOwner = (at: Server, name: string) =>
  `owner=$(${psql(at)} -tAc ${quote(ownerOf(name))} </dev/null)
runuser -u postgres -- sh -c ${quote(`echo ${quote(`database|${name}|`)}"$1" >>${at.made}`)} sh "$owner"`;

/** Makes a database unless it is there. It becomes its owner's if the definition says whose it is, and stays whose it is else. */
const makeDatabase = (at: Server, { name, owner }: Database) => ({
  run: `${psql(at)}\n${owner === undefined ? recordOwner(at, name) : record(at, `database|${name}|${owner}`)}`,
  stdin: `SELECT 'CREATE DATABASE "${name}" OWNER "${owner ?? 'postgres'}" TEMPLATE template0 ENCODING ''UTF8'' LC_COLLATE ''C.UTF-8'' LC_CTYPE ''C.UTF-8'''
  WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '${name}') \\gexec
${owner === undefined ? '' : `ALTER DATABASE "${name}" OWNER TO "${owner}";\n`}`,
});

function createRole(at: Server, user: User): Step {
  const { run, ...more } = makeRole(at, user);
  return {
    title: `Create the role ${user.name}`,
    run: `${noteFormer(at, 'role', user.name)}\n${run}`,
    ...more,
    // A role that owns something by now stays with it.
    undo: `if ${wasMissing(at, 'role', user.name)} && ${psql(at)} -c ${quote(`DROP ROLE IF EXISTS "${user.name}"`)}; then
${forget(at, 'former role', user.name)}
${forget(at, 'role', user.name)}
${forget(at, 'login', user.name)}
fi`,
  };
}

function setPassword(at: Server, user: User): Step {
  return { title: `Set the password of the role ${user.name}`, ...makeRole(at, user), irreversible: true };
}

function createDatabase(at: Server, database: Database): Step {
  const { name } = database;
  const tables = `SELECT count(*) FROM pg_class WHERE relnamespace NOT IN
  (SELECT oid FROM pg_namespace WHERE nspname LIKE 'pg\\_%' OR nspname = 'information_schema')`;
  const { run, stdin } = makeDatabase(at, database);
  const former = sh`runuser -u postgres -- sed -n ${`s/^former database|${name}|//p`} ${at.made}`;
  return {
    title: `Create the database ${name}`,
    run: `${noteFormer(at, 'database', name)}\n${run}`,
    stdin,
    // One that holds something by now stays, and one that was there before is again whose it was.
    undo: `if ${wasMissing(at, 'database', name)} && [ "$(${psql(at)} -tA -d ${quote(name)} -c ${quote(tables)})" = 0 ]; then
${psql(at)} -c ${quote(`DROP DATABASE "${name}"`)}
${forget(at, 'former database', name)}
${forget(at, 'database', name)}
else
former=$(${former} 2>/dev/null || true)
if [ -n "$former" ]; then echo ${quote(`ALTER DATABASE "${name}" OWNER TO :"former";`)} | ${psql(at)} -v former="$former"; fi
fi`,
  };
}

function changeOwner(at: Server, database: Database & { owner: string }, former: string): Step {
  const { name, owner } = database;
  return {
    title: `Give the database ${name} to ${owner}`,
    ...makeDatabase(at, database),
    undo: `${psql(at)} -c ${quote(`ALTER DATABASE "${name}" OWNER TO "${former}"`)}\n${record(at, `database|${name}|${former}`)}`,
  };
}
