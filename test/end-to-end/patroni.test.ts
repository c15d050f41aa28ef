import { describe, expect, test } from 'vitest';
import { keepCertificates, keepSecrets } from '../catalog/keep-certificates.js';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { shellOf, whyNoHosts } from '../support/hosts.js';
import { eventually, runWell } from '../support/operations.js';
import {
  awaitWhole,
  CLIENTS,
  certificateOf,
  ETCD_NAMES,
  findLeader,
  followersIn,
  LOSSES,
  listMembers,
  patroniOnDb,
  ROLES,
  readLedger,
  SHOP,
  startLedger,
} from '../support/patroni-hosts.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `pat-${process.pid}`;
const MEMBERS = ['db-1', 'db-2', 'db-3'];
const timing = { healthMs: 180_000, heartbeatMs: 10_000, retryMs: 500 };
/** Milliseconds. No limit of speed: a machine that is busy may take as long. */
const FAIL_OVER_WITHIN = 60_000;

/** Values with signs that files and connection strings give a meaning. */
const valuesOf = (begin: string) => Object.fromEntries(ROLES.map((name) => [name, `${begin} '${name}' "\\ $x: #{}%`]));

describe.skipIf(why)('three members of patroni behind haproxy and pgbouncer', () => {
  let engine: TestEngine;
  const ops = shellOf(INFRA, 'ops');
  const on = (name: string) => shellOf(INFRA, name);

  const define = (count: number, settings: Record<string, string | number> = {}) =>
    definitionOf(
      {
        infra: INFRA,
        provider: 'local',
        servers: [{ name: 'ops' }, { name: 'db', count }],
        taskservs: [...patroniOnDb({ ...SHOP, settings }), ...CLIENTS],
      },
      ROLES,
    );
  const request = (definition: ReturnType<typeof define>, more = {}) => ({ infra: INFRA, definition, timing, ...more });

  const list = (at: string) => listMembers(on(at));
  const leaderSeenBy = (at: string) => findLeader(on(at));
  const query = (at: string, sql: string) => on(at)(`cd /; runuser -u postgres -- psql -d shop -XtAc ${JSON.stringify(sql)}`);
  const acknowledged = () => readLedger(ops);
  const oneMoreThan = (count: number) =>
    eventually(async () => expect((await acknowledged()).length).toBeGreaterThan(count), FAIL_OVER_WITHIN, 200);

  withHostEngine(INFRA, async (started) => {
    engine = started;
    await keepCertificates(engine, INFRA, { etcd: certificateOf(ETCD_NAMES), patroni: certificateOf(['patroni']) });
    await keepSecrets(engine, INFRA, valuesOf('former'));
    const began = Date.now();
    await runWell(engine, request(define(2)));
    console.log(`installed in ${((Date.now() - began) / 1_000).toFixed(0)} s`);
  });

  const nothingLeft = async (definition: ReturnType<typeof define>) => {
    const { plan } = await runWell(engine, request(definition));
    expect(plan.map(({ on, title }) => `${on}: ${title}`)).toEqual([]);
  };

  test('form a cluster of two; a third joins; a second run does nothing', async () => {
    expect((await list('db-1')).map(({ Member }) => Member)).toEqual(['db-1', 'db-2']);
    await runWell(engine, request(define(3)));
    const members = await list('db-1');
    expect(members.map(({ Member }) => Member)).toEqual(MEMBERS);
    expect(members.filter(({ Role }) => Role === 'Leader')).toHaveLength(1);
    expect(members.filter(({ Role }) => Role === 'Sync Standby')).toHaveLength(1);
    expect(followersIn(members)).toHaveLength(2);
    await nothingLeft(define(3));
  });

  test('other passwords of the roles of Patroni come into force without an interruption', async () => {
    const leader = await leaderSeenBy('db-1');
    await keepSecrets(engine, INFRA, valuesOf('next'));
    await runWell(engine, request(define(3)));
    await nothingLeft(define(3));
    expect(await leaderSeenBy('db-1')).toBe(leader);
    expect(followersIn(await list('db-1'))).toHaveLength(2);
  });

  test('a setting that needs a restart comes into force on all, and the leader hands over first', async () => {
    await runWell(engine, request(define(3, { max_connections: 120 })));
    for (const name of MEMBERS) expect(await query(name, 'SHOW max_connections')).toBe('120');
    // The first leader handed over, and it may lead again since.
    expect((await list('db-1')).find(({ Role }) => Role === 'Leader')?.TL).toBeGreaterThan(1);
    await nothingLeft(define(3, { max_connections: 120 }));
  });

  test('a setting that the leader must lower first comes into force on all', async () => {
    await runWell(engine, request(define(3, { max_connections: 110 })));
    for (const name of MEMBERS) expect(await query(name, 'SHOW max_connections')).toBe('110');
    await nothingLeft(define(3, { max_connections: 110 }));
  });

  const WAYS = ['its processes are killed', 'its network is cut, and it still runs'] as const;

  test('the leader is lost in two ways: another one leads, no acknowledged write is lost, and the former one follows', async () => {
    await query(await leaderSeenBy('db-1'), 'SET ROLE shop; CREATE TABLE ledger (n int PRIMARY KEY)');
    await startLedger(ops);
    for (const way of WAYS) {
      const { lose, end } = LOSSES[way];
      await oneMoreThan((await acknowledged()).length + 5);
      const former = await leaderSeenBy('db-1');
      const others = MEMBERS.filter((name) => name !== former);
      const [other = ''] = others;
      const lost = Date.now();
      await lose(INFRA, former);
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
        const seen = Date.now();
        await oneMoreThan(count + 1);
        const after = (await acknowledged()).find(([, at]) => at >= seen) ?? [0, Date.now()];
        const seconds = (at: number) => ((at - lost) / 1_000).toFixed(1);
        console.log(`${way}: ${next} leads after ${seconds(seen)} s; a write is acknowledged after ${seconds(after[1])} s`);
      } finally {
        await end(INFRA, former);
      }
      // The former leader follows, and commits are confirmed again by a member that may take over.
      await awaitWhole(on(other), 2, 2 * FAIL_OVER_WITHIN);
    }
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
    await eventually(() => nothingLeft(define(3, { max_connections: 110 })), FAIL_OVER_WITHIN, 1_000);
  });

  test('a member is removed, whichever it is, and the others go on', async () => {
    await runWell(engine, request(define(2, { max_connections: 110 }), { allowDestroy: true }));
    await eventually(async () => expect(['db-1', 'db-2']).toContain(await leaderSeenBy('db-1')), FAIL_OVER_WITHIN, 500);
    await eventually(async () => expect(await query('db-2', 'SELECT count(*) > 0 FROM ledger')).toBe('t'), FAIL_OVER_WITHIN, 500);
  });
});
