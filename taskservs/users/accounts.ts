import { type CommandOutput, fact, sh } from '../../sdk/index.js';

/** The comment field of accounts that were made by us; only those are ever deleted unasked. */
export const MARK = 'provisioning';

/** An account as the host has it. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
  home: string;
  shell: string;
  /** Made by us. */
  ours: boolean;
  groups: string[];
  /** Missing parts of its home directory and of the folder of its keys. */
  lacks?: ('home' | '.ssh')[];
}

export interface Accounts {
  accounts: Account[];
  /** All groups of the host. */
  groups: string[];
}

/** Groups of every Debian (base-passwd 3.6.1): what a host that does not exist yet will have. */
const BASE_GROUPS =
  'root daemon bin sys adm tty disk lp mail news uucp man proxy kmem dialout fax voice cdrom floppy tape sudo audio dip www-data backup operator list irc src shadow utmp video sasl plugdev staff games users nogroup'.split(
    ' ',
  );

/** The accounts of these names, and all that were made by us. */
export function accountsFact(names: readonly string[]) {
  return fact<Accounts>(
    `getent group | cut -d: -f1 | sed 's/^/group /'
for name in $( { echo ${sh`${[...names]}`} | tr ' ' '\\n'; getent passwd | awk -F: '$5 == "${MARK}" { print $1 }'; } | sort -u); do
  if entry=$(getent passwd "$name"); then
    echo "account $entry|$(id -nG "$name")"
    home=\${entry%:*}; home=\${home##*:}
    [ -d "$home" ] || echo "lacks $name home"
    [ -d "$home/.ssh" ] || echo "lacks $name .ssh"
  fi
done`,
    readAccounts,
    { accounts: [], groups: BASE_GROUPS },
  );
}

function readAccounts({ stdout }: CommandOutput): Accounts {
  const lines = stdout.split('\n');
  const rest = (kind: string) => lines.filter((line) => line.startsWith(`${kind} `)).map((line) => line.slice(kind.length + 1));
  const lacking = rest('lacks').map((line) => line.split(' '));
  const lacks = (account: Account) =>
    lacking.flatMap(([name, what]) => (name === account.name ? [what] : [])) as ('home' | '.ssh')[];
  const accounts = rest('account').map(readAccount);
  return { groups: rest('group'), accounts: accounts.map((account) => ({ ...account, lacks: lacks(account) })) };
}

function readAccount(line: string): Account {
  // The comment is the user's to change, and may hold the mark between the two.
  const cut = line.lastIndexOf('|');
  const [entry, groups] = [line.slice(0, cut), line.slice(cut + 1)];
  const [name = '', , uid, gid, comment, home = '', shell = ''] = entry.split(':');
  return {
    name,
    uid: Number(uid),
    gid: Number(gid),
    home,
    shell,
    ours: comment === MARK,
    groups: groups.split(' ').filter(Boolean),
  };
}
