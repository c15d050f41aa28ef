import { quote, type Step, sh } from '../../sdk/index.js';
import type { FoundContents } from './contents.js';
import type { MariadbConfig } from './mariadb-config.js';
import { MARIADB } from './mariadb-places.js';

type User = MariadbConfig['users'][number];

/**
 * Steps for accounts, passwords, databases and owners that are missing or differ. Nothing is ever dropped. If the
 * server could not be queried, all of them get a step. Each step works whatever the former state was.
 */
export function contentSteps({ users, databases }: MariadbConfig, found: FoundContents): Step[] {
  const isUnknown = maybeThere(found);
  return [
    ...users.flatMap((user) => {
      if (found.logins.includes(user.name)) return [];
      return isUnknown || found.users.includes(user.name) ? [setPassword(user)] : [createUser(user)];
    }),
    ...databases.flatMap(({ name }) => (found.databases.includes(name) ? [] : [createDatabase(name, isUnknown)])),
    ...databases.flatMap(({ name, owner }) =>
      owner === undefined || found.owners.includes(`${name}|${owner}`) ? [] : [giveDatabase(name, owner, found)],
    ),
  ];
}

const statement = (sql: string) => `${MARIADB} -e ${quote(sql)}`;

const account = (name: string) => `'${name}'@'%'`;

/**
 * The password is in no argument, because the shell itself prints it. The server interprets only the end of the text
 * in it. The client keeps its line ends.
 */
const withPassword = ({ name, password }: User) => {
  const sql = `SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES';
CREATE USER IF NOT EXISTS %s;
ALTER USER %s IDENTIFIED BY '%s';
`;
  return {
    run: `quote="'"
password="\${PASSWORD//$quote/$quote$quote}"
${sh`printf ${sql} ${account(name)} ${account(name)} "$password"`} | ${MARIADB} --binary-mode`,
    env: { PASSWORD: [password] },
  };
};

const createUser = (user: User): Step => ({
  title: `Create the account ${user.name}`,
  ...withPassword(user),
  undo: statement(`DROP USER IF EXISTS ${account(user.name)}`),
});

const setPassword = (user: User): Step => ({
  title: `Set the password of the account ${user.name}`,
  ...withPassword(user),
  irreversible: true,
});

function createDatabase(name: string, isUnknown: boolean): Step {
  const tables = `SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = '${name}'`;
  return {
    title: `Create the database ${name}`,
    run: statement(`CREATE DATABASE IF NOT EXISTS \`${name}\` CHARACTER SET utf8mb4`),
    // One that holds something by now stays.
    undo: isUnknown ? ':' : `if [ "$(${statement(tables)})" = 0 ]; then ${statement(`DROP DATABASE IF EXISTS \`${name}\``)}; fi`,
  };
}

function giveDatabase(name: string, owner: string, found: FoundContents): Step {
  // In a grant _ stands for any character.
  const of = `\`${name.replaceAll('_', '\\_')}\`.*`;
  const before = found.privileges[`${name}|${owner}`] ?? [];
  // Privileges that the account had before come back with an undo.
  const again = before.length === 0 ? '' : `; GRANT ${before.join(', ')} ON ${of} TO ${account(owner)}`;
  return {
    title: `Give the database ${name} to ${owner}`,
    run: statement(`GRANT ALL PRIVILEGES ON ${of} TO ${account(owner)}`),
    undo: maybeThere(found) ? ':' : statement(`REVOKE ALL PRIVILEGES ON ${of} FROM ${account(owner)}${again}`),
  };
}

/** Objects on a stopped server may have existed before, so an undo does not drop them either. */
const maybeThere = ({ asked, isKept }: FoundContents): boolean => !asked && isKept;
