import { type CommandOutput, fact, sh } from '../../sdk/index.js';
import type { MariadbConfig } from './mariadb-config.js';
import { DATA, MARIADB } from './mariadb-places.js';

/** Accounts and databases of the server. */
export interface FoundContents {
  /** The server told. Else it does not run, or is not there yet. */
  asked: boolean;
  /** Its folder of data was there already. */
  isKept: boolean;
  users: string[];
  databases: string[];
  /** `DATABASE|ACCOUNT` of accounts with all privileges there. */
  owners: string[];
  /** Privileges that accounts without all of them have there, by `DATABASE|ACCOUNT`. */
  privileges: Record<string, string[]>;
  /** Accounts of the configuration that the wanted password lets in. */
  logins: string[];
}

const QUERY = `SELECT 'user', User, '' FROM mysql.global_priv WHERE Host = '%'
UNION ALL SELECT 'database', schema_name, '' FROM information_schema.schemata
UNION ALL SELECT 'owner', REPLACE(Db, '\\\\_', '_'), User FROM mysql.db WHERE Host = '%' AND Drop_priv = 'Y'
UNION ALL SELECT CONCAT('privilege ', PRIVILEGE_TYPE), REPLACE(TABLE_SCHEMA, '\\_', '_'), SUBSTRING(GRANTEE, 2, LENGTH(GRANTEE) - 6)
FROM information_schema.SCHEMA_PRIVILEGES WHERE RIGHT(GRANTEE, 4) = '@''%'''`;

/** Accounts and databases, and which passwords are right: tried out, since hashes cannot be compared. */
export function contentsFact({ users, databases }: MariadbConfig) {
  const empty: FoundContents = { asked: false, isKept: false, users: [], databases: [], owners: [], privileges: {}, logins: [] };
  if (users.length === 0 && databases.length === 0) return fact<FoundContents>('true', () => empty, empty);
  const tries = users.map(
    ({ name }, index) =>
      sh`MYSQL_PWD="$PASSWORD_${index}" timeout 5 ${MARIADB.split(' ')} -u ${name} -e 'SELECT 1' >/dev/null 2>&1 && printf 'login\t%s\n' ${name}`,
  );
  const env = Object.fromEntries(users.map(({ password }, index) => [`PASSWORD_${index}`, [password]]));
  return fact<FoundContents>(
    [
      `if [ -d ${DATA}/mysql ]; then echo kept; fi`,
      sh`if timeout 5 ${MARIADB.split(' ')} -e ${QUERY} 2>/dev/null; then`,
      'echo asked',
      ...tries,
      'fi',
      'true',
    ].join('\n'),
    readInside,
    empty,
    env,
  );
}

/** What is found where nothing is left to do: others of a cluster give it everything. */
export const describeWanted = ({ users, databases }: MariadbConfig): FoundContents => {
  const names = users.map(({ name }) => name);
  return {
    ...{ asked: true, isKept: true, users: names, logins: names, privileges: {} },
    databases: databases.map(({ name }) => name),
    owners: databases.flatMap(({ name, owner }) => (owner === undefined ? [] : [`${name}|${owner}`])),
  };
};

function readInside({ stdout }: CommandOutput): FoundContents {
  const rows = stdout.split('\n').map((line) => line.split('\t'));
  const of = (kind: string) => rows.filter(([first]) => first === kind);
  const named = (kind: string) => of(kind).map(([, name = '']) => name);
  return {
    asked: of('asked').length > 0,
    isKept: of('kept').length > 0,
    users: named('user'),
    databases: named('database'),
    owners: of('owner').map(([, database = '', account = '']) => `${database}|${account}`),
    privileges: privilegesIn(rows),
    logins: named('login'),
  };
}

function privilegesIn(rows: readonly string[][]): Record<string, string[]> {
  const all: Record<string, string[]> = {};
  for (const [kind = '', database = '', account = ''] of rows) {
    const [, privilege] = /^privilege ([A-Z ]+)$/.exec(kind) ?? [];
    const of = `${database}|${account}`;
    if (privilege !== undefined) all[of] = [...(all[of] ?? []), privilege];
  }
  return all;
}
