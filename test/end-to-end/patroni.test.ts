import { describe, expect, test } from 'vitest';
import { keepCertificates } from '../catalog/keep-certificates.js';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { pauseHost, shellOf, unpauseHost, whyNoHosts } from '../support/hosts.js';
import { eventually, runWell } from '../support/operations.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `pat-${process.pid}`;
const ETCD_NAMES = ['ops', '127.0.0.1'];
const MEMBERS = ['db-1', 'db-2', 'db-3'];
const timing = { healthMs: 180_000, heartbeatMs: 10_000, retryMs: 500 };
/** Milliseconds. No limit of speed: a machine that is busy may take as long. */
const FAIL_OVER_WITHIN = 60_000;

const certificate = (names: string[]) =>
  Object.fromEntries(
    ['certificate', 'key', 'authority'].map((part) => [part, { generate: 'certificate', ca: 'etcd', names, part } as const]),
  );
const passwords = Object.fromEntries(['superuser', 'replication', 'api'].map((name) => [name, { generate: 'password' } as const]));
const shop = { name: 'shop', password: { generate: 'password', name: 'shop-db' } as const };

/**
 * Writes numbers until the file `/tmp/stop` is there. `/tmp/ledger` gets the number and the time of each acknowledged write.
 * A write that fails may have been done or not, so that its number is not used again.
 */
const LEDGER = `set +e; n=0
while [ ! -e /tmp/stop ]; do
  n=$((n + 1))
  if PGCONNECT_TIMEOUT=2 timeout 5 psql -qX -h 127.0.0.1 -p 6432 -U shop -d shop -c "INSERT INTO ledger VALUES ($n)" 2>>/tmp/failed; then
    echo "$n $(date +%s%3N)" >>/tmp/ledger
  else sleep 0.2; fi
done`;

describe.skipIf(why)('three members of patroni behind haproxy and pgbouncer', () => {
  let engine: TestEngine;
  const ops = shellOf(INFRA, 'ops');
  const on = (name: string) => shellOf(INFRA, name);

  const define = (settings: Record<string, string | number> = {}) =>
    definitionOf({
      infra: INFRA,
      provider: 'local',
      servers: [{ name: 'ops' }, { name: 'db', count: 3 }],
      taskservs: [
        { name: 'etcd', on: { server: 'ops' }, config: { tls: certificate(ETCD_NAMES) } },
        {
          name: 'patroni',
          on: { role: 'db' },
          config: {
            ...{ cluster: 'shop', etcdTls: certificate(['patroni']), passwords, settings },
            ...{ allow: ['0.0.0.0/0'], users: [shop], databases: [{ name: 'shop', owner: 'shop' }] },
          },
        },
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
      ],
    });
  const request = (definition: ReturnType<typeof define>, more = {}) => ({ infra: INFRA, definition, timing, ...more });

  interface Listed {
    Member: string;
    Role: string;
    State: string;
  }
  const list = async (at: string): Promise<Listed[]> =>
    JSON.parse(await on(at)('patronictl -c /etc/patroni/config.yml list -f json')) as Listed[];
  const leaderSeenBy = async (at: string): Promise<string> => {
    const leader = (await list(at)).find(({ Role, State }) => Role === 'Leader' && State === 'running');
    if (!leader) throw new Error('there is no leader');
    return leader.Member;
  };
  const followersOf = (members: readonly Listed[]) =>
    members.filter(({ Role, State }) => Role !== 'Leader' && (State === 'running' || State === 'streaming'));
  const query = (at: string, sql: string) => on(at)(`cd /; runuser -u postgres -- psql -d shop -XtAc ${JSON.stringify(sql)}`);
  const acknowledged = async () =>
    (await ops('cat /tmp/ledger 2>/dev/null || true'))
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(' ').map(Number) as [number, number]);
  const oneMoreThan = (count: number) =>
    eventually(async () => expect((await acknowledged()).length).toBeGreaterThan(count), FAIL_OVER_WITHIN, 200);

  withHostEngine(INFRA, async (started) => {
    engine = started;
    await keepCertificates(engine, INFRA, { etcd: certificate(ETCD_NAMES), patroni: certificate(['patroni']) });
    const began = Date.now();
    await runWell(engine, request(define()));
    console.log(`installed in ${((Date.now() - began) / 1_000).toFixed(0)} s`);
  });

  test('form a cluster; a second run does nothing', async () => {
    const members = await list('db-1');
    expect(members.map(({ Member }) => Member)).toEqual(MEMBERS);
    expect(members.filter(({ Role }) => Role === 'Leader')).toHaveLength(1);
    expect(members.filter(({ Role }) => Role === 'Sync Standby')).toHaveLength(1);
    expect(followersOf(members)).toHaveLength(2);
    const again = await runWell(engine, request(define()));
    expect(again.plan.map(({ on, title }) => `${on}: ${title}`)).toEqual([]);
  });

  test('a setting that needs a restart comes into force on all, and the leader hands over first', async () => {
    const before = await leaderSeenBy('db-1');
    await runWell(engine, request(define({ max_connections: 120 })));
    for (const name of MEMBERS) expect(await query(name, 'SHOW max_connections')).toBe('120');
    expect(await leaderSeenBy('db-1')).not.toBe(before);
    const again = await runWell(engine, request(define({ max_connections: 120 })));
    expect(again.plan.map(({ on, title }) => `${on}: ${title}`)).toEqual([]);
  });

  test('the leader is cut off: another one leads, no acknowledged write is lost, and the former one follows', async () => {
    const former = await leaderSeenBy('db-1');
    const others = MEMBERS.filter((name) => name !== former);
    const [other = ''] = others;
    await query(former, 'SET ROLE shop; CREATE TABLE ledger (n int PRIMARY KEY)');
    // The user's password is not for the arguments of a process.
    await ops(`awk -F'"' '$2 == "shop" { print "127.0.0.1:6432:shop:shop:" $4 }' /etc/pgbouncer/userlist.txt >/root/.pgpass; chmod 600 /root/.pgpass
printf %s ${Buffer.from(LEDGER).toString('base64')} | base64 -d >/tmp/ledger.sh; HOME=/root nohup bash /tmp/ledger.sh >/tmp/ledger.log 2>&1 </dev/null &`);
    await oneMoreThan(5);
    await pauseHost(INFRA, former);
    const cut = Date.now();
    const count = (await acknowledged()).length;
    try {
      const next = await eventually(
        async () => {
          const leader = await leaderSeenBy(other);
          expect(others).toContain(leader);
          return leader;
        },
        FAIL_OVER_WITHIN,
        200,
      );
      await oneMoreThan(count + 1);
      const rows = await acknowledged();
      const after = rows.find(([, at]) => at > cut);
      console.log(
        `${next} leads; the first write was acknowledged ${(((after?.[1] ?? 0) - cut) / 1_000).toFixed(1)} s after the cut`,
      );
    } finally {
      await unpauseHost(INFRA, former);
    }
    await eventually(
      async () => expect(followersOf(await list(other)).map(({ Member }) => Member)).toContain(former),
      FAIL_OVER_WITHIN,
      500,
    );
    await ops('touch /tmp/stop');
    const promised = (await acknowledged()).map(([n]) => n);
    for (const name of MEMBERS) {
      await eventually(
        async () => {
          const kept = new Set((await query(name, 'SELECT n FROM ledger')).split('\n').map(Number));
          expect(promised.filter((n) => !kept.has(n))).toEqual([]);
        },
        FAIL_OVER_WITHIN,
        500,
      );
    }
    console.log(`${promised.length} acknowledged writes are on all three members`);
  });
});
