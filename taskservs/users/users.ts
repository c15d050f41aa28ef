import {
  debian,
  defineTaskserv,
  ensureFile,
  ensureNoFile,
  ensurePackage,
  type Fact,
  type FoundFacts,
  FoundFile,
  type FoundPackage,
  file,
  MANAGED_FILE_HEADER,
  type Step,
  sh,
} from '../../sdk/index.js';
import { changeAccount, createAccount, createGroup, deleteAccount } from './account-steps.js';
import { type Account, type Accounts, accountsFact } from './accounts.js';
import { ensureKeys, hasOurKeys, removeKeys } from './authorized-keys.js';
import { homeOf, keysPathOf, type User, usersConfig } from './users-config.js';

const SUDOERS = '/etc/sudoers.d/provisioning';

/** Facts with one file of keys for each wanted user, and the fixed facts. */
type UsersFacts = {
  sudo: Fact<FoundPackage>;
  sudoers: Fact<FoundFile>;
  accounts: Fact<Accounts>;
  [keys: `keys of ${string}`]: Fact<FoundFile>;
};

/** User accounts with their SSH keys and root access. */
export const users = defineTaskserv({
  name: 'users',
  category: 'system',
  holds: [],
  description: 'User accounts with their SSH keys and root access.',
  versions: { default: '1', supported: ['1'], source: 'debian' },
  config: usersConfig,
  uses: () => [],
  facts: (config): UsersFacts => ({
    sudo: debian('sudo'),
    sudoers: file(SUDOERS),
    accounts: accountsFact(config.users.map(({ name }) => name)),
    ...Object.fromEntries(present(config.users).map((user) => [keysOf(user), file(keysPathOf(user))])),
  }),
  installed: (found) => (traces(found) ? '1' : undefined),

  plan(config, found) {
    const wanted = present(config.users);
    const admins = wanted.filter((user) => user.sudo);
    const unwanted = found.accounts.accounts.filter(({ name, ours }) => {
      const named = config.users.find((user) => user.name === name);
      return named ? named.state === 'absent' : ours;
    });
    return [
      ...(admins.length > 0 ? ensurePackage(found.sudo) : []),
      ...missingGroups(wanted, found.accounts).map(createGroup),
      ...wanted.flatMap((user) => ensureUser(user, found)),
      ...ensureSudoers(admins, found.sudoers),
      ...unwanted.map(deleteAccount),
    ];
  },

  health(config) {
    const names = present(config.users).map(({ name }) => name);
    return names.length === 0 ? [] : [{ title: 'the users exist', command: sh`id -u -- ${names}` }];
  },

  remove: (config, found) => [
    ...ensureNoFile(found.sudoers),
    ...present(config.users).flatMap((user) => removeKeys(keysFound(user, found), ownerOf(user, found))),
    ...found.accounts.accounts.filter(({ ours }) => ours).map(deleteAccount),
  ],
});

const present = (users: User[]): User[] => users.filter(({ state }) => state === 'present');

const keysOf = ({ name }: User): `keys of ${string}` => `keys of ${name}`;

const accountOf = ({ name }: User, { accounts: { accounts } }: FoundFacts<UsersFacts>): Account | undefined =>
  accounts.find((account) => account.name === name);

const keysFound = (user: User, found: FoundFacts<UsersFacts>): FoundFile => {
  const path = `${homeOf(user, accountOf(user, found))}/.ssh/authorized_keys`;
  return found[keysOf(user)]?.at(path) ?? new FoundFile(path, { exists: false });
};

/** Keys of a deleted account have no owner. */
const ownerOf = (user: User, found: FoundFacts<UsersFacts>): string => {
  const account = accountOf(user, found);
  return account ? `${user.name}:${account.groups[0] ?? user.name}` : 'root:root';
};

const traces = (found: FoundFacts<UsersFacts>): boolean =>
  found.sudoers.exists ||
  found.accounts.accounts.some(({ ours }) => ours) ||
  Object.values(found).some((value) => value instanceof FoundFile && hasOurKeys(value));

/** A user's own group comes with the account. */
function missingGroups(wanted: User[], { groups }: Accounts): string[] {
  const named = wanted.flatMap((user) => user.groups.filter((group) => group !== user.name));
  return [...new Set(named)].filter((name) => !groups.includes(name));
}

function ensureUser(user: User, found: FoundFacts<UsersFacts>): Step[] {
  const account = accountOf(user, found);
  const steps = account ? changeAccount(user, account) : [createAccount(user)];
  // The state of a home that the account does not have yet is unknown.
  const lacksFolder = account?.home === homeOf(user, account) ? account.lacks?.includes('.ssh') : true;
  return [...steps, ...ensureKeys(user, keysFound(user, found), account?.groups[0] ?? user.name, lacksFolder ?? false)];
}

function ensureSudoers(admins: User[], found: FoundFile): Step[] {
  if (admins.length === 0) return ensureNoFile(found);
  const rules = admins.map(({ name }) => `${name} ALL=(ALL:ALL) NOPASSWD: ALL`);
  const content = `${MANAGED_FILE_HEADER}\n${rules.join('\n')}\n`;
  const write = ensureFile(found, { content, mode: '0440' }, `Let ${admins.map(({ name }) => name).join(', ')} use sudo`);
  return write.length === 0 ? [] : [...write, { title: 'Check the rules of sudo', run: sh`visudo -c -f ${SUDOERS}`, undo: ':' }];
}
