import { type CommandOutput, fact, type SecretRef, type Step, sh, type Text } from '../../sdk/index.js';
import { type PatroniConfig, REPLICATOR, SUPERUSER } from './patroni-config.js';
import { locateData, locatePrograms, SETPRIV_POSTGRES } from './places.js';
import { act } from './program.js';

/** Roles and databases of the cluster, as this member has them. */
export interface Contents {
  /** The server answered. */
  asked: boolean;
  roles: string[];
  /** Owner by database. */
  databases: Record<string, string>;
  /** Roles, those of Patroni among them, that the wanted password lets in. */
  logins: string[];
}

interface Login {
  name: string;
  password: SecretRef;
}

const listLogins = ({ users, passwords }: PatroniConfig): Login[] => [
  { name: SUPERUSER, password: passwords.superuser },
  { name: REPLICATOR, password: passwords.replication },
  ...users,
];

/** With names in full: whoever asks may have others in a place that is looked through first. */
const QUERY = `SELECT 'role', rolname, '' FROM pg_catalog.pg_roles
UNION ALL SELECT 'database', datname, pg_catalog.pg_get_userbyid(datdba) FROM pg_catalog.pg_database`;

/**
 * Roles, databases and correct passwords. A member that follows has them, too. Before an upgrade to another major version
 * the former one has them. Hashes cannot be compared: passwords are tried out.
 */
export function contentsFact(config: PatroniConfig, version: string) {
  const empty: Contents = { asked: false, roles: [], databases: {}, logins: [] };
  const logins = listLogins(config);
  return fact<Contents>(
    [
      'export PGCONNECT_TIMEOUT=3',
      sh`query=${QUERY}`,
      'asked=',
      // A host that was killed leaves a postmaster.pid, so the one that answers counts.
      `for data in ${locateData(version)} ${locateData('*')}; do
  one=\${data%/patroni} one=\${one##*/}
  case "$one" in *[!0-9]*) continue ;; esac
  psql=${locatePrograms('$one')}/psql
  port=$(timeout 5 ${SETPRIV_POSTGRES} sed -n 4p "$data/postmaster.pid" 2>/dev/null)
  [ -n "$port" ] || continue
  if timeout 10 ${SETPRIV_POSTGRES} "$psql" -p "$port" -d postgres -XtAc "$query" 2>/dev/null; then asked=yes; break; fi
done`,
      '[ -n "$asked" ] || exit 0',
      "echo 'asked||'",
      ...logins.map(
        ({ name }, index) =>
          `PGPASSWORD="$PASSWORD_${index}" PGGSSENCMODE=disable PGSSLMODE=allow timeout 10 "$psql" -h 127.0.0.1 -p "$port" -U ${sh`${name}`} -d postgres -w -XtAc 'SELECT 1' >/dev/null 2>&1 && ${sh`echo ${`login|${name}|`}`}`,
      ),
      'true',
    ].join('\n'),
    readContents,
    empty,
    Object.fromEntries(logins.map(({ password }, index) => [`PASSWORD_${index}`, [password]])),
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

/**
 * Runs SQL on the leader, which is looked up inside the step. It does not wait for a second member: the first one of a new
 * cluster has none yet. Nothing undoes it: it changed the whole cluster, not this member.
 */
const onLeader = (title: string, { passwords }: PatroniConfig, sql: string, env: Record<string, Text> = {}): Step => ({
  title: `${title} on the leader`,
  run: act('on-leader'),
  // The server must not log a password, whatever its settings.
  stdin: `SET synchronous_commit = 'local'; SET log_statement = 'none'; SET log_min_duration_statement = -1; SET log_min_error_statement = 'panic';
${sql}
`,
  env: { SUPERUSER: [passwords.superuser], ...env },
  irreversible: true,
});

/** psql reads the password from its environment and quotes it: it appears in no argument and needs no care for quotes. */
const setPassword = (title: string, config: PatroniConfig, { name, password }: Login): Step =>
  onLeader(
    title,
    config,
    `\\getenv password PASSWORD
SELECT 'CREATE ROLE "${name}"' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${name}') \\gexec
ALTER ROLE "${name}" LOGIN PASSWORD :'password';`,
    { PASSWORD: [password] },
  );

/** Roles of Patroni whose password in the cluster differs. They get it before the members' files name it. */
export const ownPasswords = (config: PatroniConfig, found: Contents): Step[] =>
  found.asked
    ? listLogins(config)
        .slice(0, 2)
        // The superuser's last: until then the former password lets this step in.
        .reverse()
        .filter(({ name }) => !found.logins.includes(name))
        .map((one) => setPassword(`Set the password of the role ${one.name}`, config, one))
    : [];

/** Roles, passwords and databases that are missing or differ. Nothing is ever dropped. */
export function contentSteps(config: PatroniConfig, found: Contents): Step[] {
  return [
    ...config.users.flatMap((user) => {
      if (!found.roles.includes(user.name)) return [setPassword(`Create the role ${user.name}`, config, user)];
      return found.logins.includes(user.name) ? [] : [setPassword(`Set the password of the role ${user.name}`, config, user)];
    }),
    ...config.databases.flatMap(({ name, owner }) => {
      const former = found.databases[name];
      if (former === undefined) return [makeDatabase(`Create the database ${name}`, config, name, owner)];
      return owner === undefined || owner === former
        ? []
        : [makeDatabase(`Give the database ${name} to ${owner}`, config, name, owner)];
    }),
  ];
}

const makeDatabase = (title: string, config: PatroniConfig, name: string, owner: string | undefined): Step =>
  onLeader(
    title,
    config,
    `SELECT 'CREATE DATABASE "${name}" OWNER "${owner ?? SUPERUSER}" TEMPLATE template0 ENCODING ''UTF8'' LC_COLLATE ''C.UTF-8'' LC_CTYPE ''C.UTF-8'''
  WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '${name}') \\gexec${owner === undefined ? '' : `\nALTER DATABASE "${name}" OWNER TO "${owner}";`}`,
  );
