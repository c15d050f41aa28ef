import Docker from 'dockerode';
import { expect } from 'vitest';
import { containersOf, type HostShell, shellOf } from './hosts.js';
import { eventually } from './operations.js';

const docker = new Docker();

export const ETCD_NAMES = ['ops', '127.0.0.1'];

/** Roles of patroni whose passwords are secrets of these names. */
export const ROLES = ['superuser', 'replication', 'api'];

/** The user of the database `shop`, with a generated password. */
const shop = { name: 'shop', password: { generate: 'password', name: 'shop-db' } as const };

/** Returns the fields of a generated certificate, and of its authority. */
export const certificateOf = (names: string[], ca = 'etcd') =>
  Object.fromEntries(
    ['certificate', 'key', 'authority'].map((part) => [part, { generate: 'certificate', ca, names, part } as const]),
  );

/**
 * Returns taskservs for etcd on `ops` and members of patroni on all servers `db`.
 *
 * @param more further configuration of patroni
 */
export const patroniOnDb = (more: Record<string, unknown> = {}) => [
  { name: 'etcd', on: { server: 'ops' }, config: { tls: certificateOf(ETCD_NAMES) } },
  {
    name: 'patroni',
    on: { role: 'db' },
    config: {
      ...{ cluster: 'shop', etcdTls: certificateOf(['patroni']) },
      passwords: Object.fromEntries(ROLES.map((name) => [name, { secret: name }])),
      ...more,
    },
  },
];

/** Configuration of patroni for a database `shop` that its user reaches from everywhere. */
export const SHOP = { allow: ['0.0.0.0/0'], users: [shop], databases: [{ name: 'shop', owner: 'shop' }] };

/** The way of clients on `ops` to the leader: pgbouncer, then haproxy. */
export const CLIENTS = [
  {
    name: 'haproxy',
    on: { server: 'ops' },
    config: {
      ...{ mode: 'tcp', port: 5432, backend: { taskserv: 'patroni', offering: 'postgres' } },
      ...{ healthOffering: 'patroni', healthPath: '/primary' },
    },
  },
  {
    name: 'pgbouncer',
    on: { server: 'ops' },
    config: { databases: [{ name: 'shop', server: '127.0.0.1' }], users: [shop] },
  },
];

/** A member as `patronictl list` shows it. */
export interface ListedMember {
  Member: string;
  Role: string;
  State: string;
  /** Timeline: each new leader begins one. */
  TL: number;
}

export async function listMembers(on: HostShell): Promise<ListedMember[]> {
  return JSON.parse(await on('patronictl -c /etc/patroni/config.yml list -f json')) as ListedMember[];
}

/** Returns the name of the leader. Throws if there is no leader, or if it does not run. */
export async function findLeader(on: HostShell): Promise<string> {
  const leader = (await listMembers(on)).find(({ Role, State }) => Role === 'Leader' && State === 'running');
  if (!leader) throw new Error('the cluster has no leader');
  return leader.Member;
}

export const followersIn = (members: readonly ListedMember[]): ListedMember[] =>
  members.filter(({ Role, State }) => Role !== 'Leader' && (State === 'running' || State === 'streaming'));

/** Waits until members follow, and one of them confirms commits. */
export async function awaitWhole(on: HostShell, followers: number, withinMs: number): Promise<void> {
  await eventually(
    async () => {
      const members = await listMembers(on);
      expect(members.filter(({ Role, State }) => Role === 'Leader' && State === 'running')).toHaveLength(1);
      expect(followersIn(members)).toHaveLength(followers);
      expect(members.filter(({ Role }) => Role === 'Sync Standby')).toHaveLength(1);
    },
    withinMs,
    500,
  );
}

/** Rules that drop all traffic of a host. */
const CHAINS = ['input', 'output']
  .map(
    (hook) =>
      `add chain inet cut ${hook} { type filter hook ${hook} priority -10; policy drop; }; add rule inet cut ${hook} ${hook === 'input' ? 'iif' : 'oif'} lo accept;`,
  )
  .join(' ');

/** A way in which a member is lost, and its end. */
export interface Loss {
  lose(infra: string, member: string): Promise<unknown>;
  end(infra: string, member: string): Promise<unknown>;
}

const only = async (infra: string, member: string) => {
  const [id = ''] = await containersOf(infra, member);
  return docker.getContainer(id);
};

/**
 * Ways in which a member is lost. A host that freezes is not among them: Patroni 3.0.2 of Debian 12 may take the lead
 * back when it wakes (README of patroni).
 */
export const LOSSES = {
  'its processes are killed': {
    lose: (infra, member) =>
      shellOf(infra, member)('systemctl kill -s KILL patroni; systemctl stop patroni; pkill -9 -u postgres || true'),
    end: (infra, member) => shellOf(infra, member)('systemctl start patroni'),
  },
  'its PostgreSQL is killed': {
    lose: (infra, member) => shellOf(infra, member)('pkill -9 -u postgres -x postgres || true'),
    end: async () => undefined,
  },
  'its host is killed': {
    lose: async (infra, member) => (await only(infra, member)).kill({ signal: 'SIGKILL' }),
    end: async (infra, member) => (await only(infra, member)).start(),
  },
  'its network is cut, and it still runs': {
    lose: (infra, member) => shellOf(infra, member)(`nft 'add table inet cut; ${CHAINS}'`),
    end: (infra, member) => shellOf(infra, member)('nft delete table inet cut'),
  },
} satisfies Record<string, Loss>;

/**
 * Writes numbers until the file `/tmp/stop` exists. `/tmp/ledger` gets the number and the time (ms) of each acknowledged
 * write. A failed write may have been done or not, so its number is not used again.
 */
const LEDGER = `set +e; n=0
while [ ! -e /tmp/stop ]; do
  n=$((n + 1))
  if PGCONNECT_TIMEOUT=2 timeout 5 psql -qX -h 127.0.0.1 -p 6432 -U shop -d shop -c "INSERT INTO ledger VALUES ($n)" 2>>/tmp/failed; then
    echo "$n $(date +%s%3N)" >>/tmp/ledger
  else sleep 0.2; fi
done`;

/** Starts the client that writes the table `ledger`, on a server with pgbouncer. Its user is `shop`. */
export async function startLedger(on: HostShell): Promise<void> {
  // The user's password is not for the arguments of a process.
  await on(`rm -f /tmp/stop /tmp/ledger
awk -F'"' '$2 == "shop" { print "127.0.0.1:6432:shop:shop:" $4 }' /etc/pgbouncer/userlist.txt >/root/.pgpass; chmod 600 /root/.pgpass
printf %s ${Buffer.from(LEDGER).toString('base64')} | base64 -d >/tmp/ledger.sh; HOME=/root nohup bash /tmp/ledger.sh >/tmp/ledger.log 2>&1 </dev/null &`);
}

/** Returns the number and the time in milliseconds of each acknowledged write. */
export async function readLedger(on: HostShell): Promise<[number, number][]> {
  const text = await on('cat /tmp/ledger 2>/dev/null || true');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' ').map(Number) as [number, number]);
}

/** Longest time in milliseconds, since a moment, in which no write was acknowledged. */
export function longestSilence(ledger: readonly [number, number][], since: number): number {
  const times = ledger.map(([, at]) => at).filter((at) => at >= since);
  return Math.max(0, ...times.map((at, index) => at - (times[index - 1] ?? since)));
}
