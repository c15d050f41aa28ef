import { type CommandOutput, fact, type SecretRef, type Step, secretAs, sh } from '../../sdk/index.js';

interface Account {
  name: string;
  password: SecretRef;
}

interface SambaContents {
  accounts: Account[];
  shares: { path: string }[];
}

/** Samba's accounts, from its files whether it runs or not, and the folders of shares. */
export interface FoundContents {
  accounts: string[];
  /** Accounts of the configuration that the wanted password lets in. */
  logins: string[];
  /** Paths of shares that exist. */
  paths: string[];
}

/** Clients of samba act as a member of this group, which Debian's package makes. */
export const GROUP = 'sambashare';

/** Compares hashes of the passwords in its environment with those that samba keeps. */
const LOOK = `import os, subprocess, sys
from samba.credentials import Credentials
rows = subprocess.run(['pdbedit', '-Lw'], capture_output=True, text=True).stdout.splitlines()
kept = {row.split(':')[0]: row.split(':')[3] for row in rows if row.count(':') > 3}
for name in kept:
    print('account', name)
for index, name in enumerate(sys.argv[1:]):
    wanted = Credentials()
    wanted.set_password(os.environ[f'PASSWORD_{index}'])
    if kept.get(name) == wanted.get_nt_hash().hex().upper():
        print('login', name)
`;

/** Finds an account from before while samba is not installed and cannot be queried. */
const isKept = (name: string) => sh`grep -aqsw ${`USER_${name}`} /var/lib/samba/private/passdb.tdb`;

export function contentsFact({ accounts, shares }: SambaContents) {
  const empty: FoundContents = { accounts: [], logins: [], paths: [] };
  const lines = [
    ...shares.map(({ path }) => sh`if [ -e ${path} ]; then printf 'path %s\n' ${path}; fi`),
    ...(accounts.length > 0 ? [sh`python3 -c ${LOOK} ${accounts.map(({ name }) => name)} 2>/dev/null`] : []),
    ...accounts.map(({ name }) => `if ! command -v pdbedit >/dev/null && ${isKept(name)}; then ${sh`echo account ${name}`}; fi`),
    'true',
  ];
  const env = Object.fromEntries(accounts.map(({ password }, index) => [`PASSWORD_${index}`, [password]]));
  return fact<FoundContents>(lines.join('\n'), readInside, empty, env);
}

function readInside({ stdout }: CommandOutput): FoundContents {
  const rows = stdout.split('\n').map((line) => line.split(' '));
  const of = (kind: string) => rows.filter(([first]) => first === kind).map(([, name = '']) => name);
  return { accounts: of('account'), logins: of('login'), paths: of('path') };
}

/** Accounts that are missing or have another password, and folders that are missing. Those that are there stay as they are. */
export function contentSteps({ accounts, shares }: SambaContents, found: FoundContents): Step[] {
  const paths = [...new Set(shares.map(({ path }) => path))];
  return [
    ...paths.flatMap((path): Step[] =>
      found.paths.includes(path)
        ? []
        : [{ title: `Create ${path}`, directory: { path, mode: '2770', owner: `root:${GROUP}`, keep: true } }],
    ),
    ...accounts.flatMap((account): Step[] => {
      if (found.logins.includes(account.name)) return [];
      return [found.accounts.includes(account.name) ? setPassword(account) : createAccount(account)];
    }),
  ];
}

/** `smbpasswd` shortens a longer password. */
const LENGTH = `if [ "$(printf %s "$PASSWORD" | wc -c)" -gt 250 ]; then
  echo 'the password is longer than 250 bytes, and samba takes no more' >&2
  exit 1
fi`;

/** A user of the system stands behind each account; one that is there already stays as it is. */
const withPassword = ({ name, password }: Account) => ({
  run: `${LENGTH}
if ! ${sh`getent passwd ${name}`} >/dev/null; then
  ${sh`useradd --system --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin ${name}`}
fi
${sh`printf '%s\n%s\n' "$PASSWORD" "$PASSWORD" | smbpasswd -s -a ${name}`}`,
  env: { PASSWORD: [secretAs('line', password)] },
});

const createAccount = (account: Account): Step => ({
  title: `Create the account ${account.name}`,
  ...withPassword(account),
  undo: sh`if pdbedit -u ${account.name} >/dev/null 2>&1; then smbpasswd -x ${account.name}; fi`,
});

const setPassword = (account: Account): Step => ({
  title: `Set the password of the account ${account.name}`,
  ...withPassword(account),
  irreversible: true,
});
