import { type CommandOutput, fact, quote, type Step, secretAs, sh, text } from '../../sdk/index.js';
import { DEFAULT_VHOST, type RabbitmqConfig } from './rabbitmq-config.js';
import { CLUSTER } from './rabbitmq-places.js';

/** Accounts, vhosts and permissions of the server, and the state of its host. */
export interface FoundContents {
  /** The server told. Else it does not run, or is not there yet. */
  asked: boolean;
  /** Its folder of data was there already. */
  isKept: boolean;
  users: string[];
  vhosts: string[];
  /** Patterns of what accounts may configure, write and read, by `VHOST|ACCOUNT`. */
  permissions: Record<string, string[]>;
  /** Accounts of the configuration that the wanted password lets in. */
  logins: string[];
  /** epmd is reached from elsewhere. */
  epmdIsOpen: boolean;
}

const EMPTY: FoundContents = { asked: false, isKept: false, users: [], vhosts: [], permissions: {}, logins: [], epmdIsOpen: false };

/** Its own definitions, and which hashes are those of the wanted passwords. */
const READ = `
import base64, hashlib, json, os, sys
found = json.load(sys.stdin)
hashes = {user['name']: base64.b64decode(user['password_hash']) for user in found['users']}
def fits(index, name):
    salted = hashes.get(name, b'')
    password = os.environb.get(b'PASSWORD_%d' % index, b'').strip()
    return hashlib.sha256(salted[:4] + password).digest() == salted[4:]
print(json.dumps({
    'users': list(hashes),
    'vhosts': [vhost['name'] for vhost in found['vhosts']],
    'permissions': {p['vhost'] + '|' + p['user']: [p['configure'], p['write'], p['read']] for p in found['permissions']},
    'logins': [name for index, name in enumerate(sys.argv[1:]) if fits(index, name)],
}))
`;

export function contentsFact({ users, vhosts, cluster }: RabbitmqConfig) {
  const names = users.map(({ name }) => name);
  const ask = sh`timeout 30 rabbitmqctl -q export_definitions - --format json </dev/null 2>/dev/null | python3 -c ${READ} ${names} 2>/dev/null || true`;
  const env = Object.fromEntries(users.map(({ password }, index) => [`PASSWORD_${index}`, [password]]));
  return fact<FoundContents>(
    [
      cluster === undefined
        ? 'if [ -d /var/lib/rabbitmq/mnesia/rabbit@localhost ]; then echo kept; fi'
        : `if runuser -u rabbitmq -- test -e ${CLUSTER} 2>/dev/null; then echo kept; fi`,
      // Members of a cluster ask each other's.
      ...(cluster === undefined
        ? [`if ss -Hltn 'sport = :4369' 2>/dev/null | grep -qv '127\\.0\\.0\\.1:4369'; then echo open; fi`]
        : []),
      ...(users.length + vhosts.length > 0 ? [ask] : []),
    ].join('\n'),
    readInside,
    EMPTY,
    env,
  );
}

function readInside({ stdout }: CommandOutput): FoundContents {
  const lines = stdout.split('\n');
  const told = lines.find((line) => line.startsWith('{'));
  const around = { isKept: lines.includes('kept'), epmdIsOpen: lines.includes('open') };
  return told === undefined ? { ...EMPTY, ...around } : { ...EMPTY, ...JSON.parse(told), ...around, asked: true };
}

const ctl = (...words: string[]): string => `rabbitmqctl -q ${words.map(quote).join(' ')}`;

/** One that reads a password. By the number of words `rabbitmqctl` 4 decides whether it reads: with `-q` it would wait forever. */
const ctlWithPassword = (verb: 'add_user' | 'change_password', name: string): string =>
  `printf '%s\\n' "$password" | rabbitmqctl ${verb} ${quote(name)}`;

/**
 * Steps for accounts, passwords, vhosts and permissions that are missing or differ. Nothing is ever deleted. If the
 * server could not be queried, all of them get a step. Each step works whatever the former state was.
 */
export function contentSteps({ users, vhosts }: RabbitmqConfig, found: FoundContents): Step[] {
  // Objects on a stopped server may have existed before, so an undo does not delete them either.
  const isUnknown = !found.asked && found.isKept;
  const bind: Step = { title: 'Let epmd listen on loopback only', run: 'systemctl restart epmd.socket', undo: ':' };
  return [
    ...(found.epmdIsOpen ? [bind] : []),
    ...users.flatMap((user) => {
      if (found.logins.includes(user.name)) return [];
      return isUnknown || found.users.includes(user.name) ? [setPassword(user)] : [createUser(user)];
    }),
    ...vhosts.flatMap(({ name }) =>
      found.vhosts.includes(name) || (name === DEFAULT_VHOST && !found.asked) ? [] : [createVhost(name, isUnknown)],
    ),
    ...vhosts.flatMap(({ name, users }) =>
      users.flatMap((user) => {
        const former = found.permissions[`${name}|${user}`];
        return former?.every((pattern) => pattern === '.*') ? [] : [letIn(user, name, isUnknown, former)];
      }),
    ),
  ];
}

type User = RabbitmqConfig['users'][number];

const createUser = ({ name, password }: User): Step => ({
  title: `Create the account ${name}`,
  run: `${READ_PASSWORD}\n${ctlWithPassword('add_user', name)}`,
  stdin: text`${secretAs('line', password)}\n`,
  undo: ctl('delete_user', name),
});

/** Reads the password, from which `rabbitmqctl` would take white space at both ends; what follows has it again. */
const READ_PASSWORD = `IFS= read -r password
case "$password" in
  [[:space:]]* | *[[:space:]]) echo 'rabbitmq takes no password with white space at an end' >&2; exit 1 ;;
esac`;

/** Sets a password. The account may be missing, too. */
const setPassword = ({ name, password }: User): Step => ({
  title: `Set the password of the account ${name}`,
  run: `${READ_PASSWORD}
if ${ctl('list_users', '--no-table-headers')} </dev/null | cut -f1 | grep -xF ${quote(name)} >/dev/null; then ${ctlWithPassword('change_password', name)}; else ${ctlWithPassword('add_user', name)}; fi`,
  stdin: text`${secretAs('line', password)}\n`,
  irreversible: true,
});

function createVhost(name: string, isUnknown: boolean): Step {
  const queues = ctl('list_queues', '-p', name, 'name', '--no-table-headers');
  return {
    title: `Create the vhost ${name}`,
    run: `${ctl('add_vhost', name)} </dev/null`,
    // One that holds something by now stays, and one of which that cannot be told.
    undo: isUnknown ? ':' : `held=$(${queues} </dev/null)\nif [ -z "$held" ]; then ${ctl('delete_vhost', name)} </dev/null; fi`,
  };
}

/** @param former former permissions of the account, which an undo restores exactly */
function letIn(user: string, vhost: string, isUnknown: boolean, former: readonly string[] | undefined): Step {
  const back = former ? ctl('set_permissions', '-p', vhost, user, ...former) : ctl('clear_permissions', '-p', vhost, user);
  return {
    title: `Let ${user} do everything in the vhost ${vhost}`,
    run: `${ctl('set_permissions', '-p', vhost, user, '.*', '.*', '.*')} </dev/null`,
    undo: isUnknown ? ':' : `${back} </dev/null`,
  };
}
