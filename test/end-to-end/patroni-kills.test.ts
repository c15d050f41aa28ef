import { describe, expect, test } from 'vitest';
import { keepCertificates, keepSecrets } from '../catalog/keep-certificates.js';
import { definitionOf } from '../support/definition.js';
import { withHostEngine } from '../support/host-engine.js';
import { shellOf, whyNoHosts } from '../support/hosts.js';
import { eventually, runWell } from '../support/operations.js';
import {
  awaitWhole,
  CLIENTS,
  certificateOf,
  ETCD_NAMES,
  findLeader,
  LOSSES,
  longestSilence,
  patroniOnDb,
  ROLES,
  readLedger,
  SHOP,
  startLedger,
} from '../support/patroni-hosts.js';
import { seededRandom } from '../support/random.js';
import { seedOf } from '../support/seed.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const isLong = process.env.LONG === '1';
const INFRA = `kill-${process.pid}`;
const MEMBERS = ['db-1', 'db-2', 'db-3'];
const KILLS = isLong ? 20 : 3;
/** Milliseconds. No limit of speed: a busy machine may take as long. */
const WITHIN = 120_000;

const DEFINITION = definitionOf(
  {
    infra: INFRA,
    provider: 'local',
    servers: [{ name: 'ops' }, { name: 'db', count: 3 }],
    taskservs: [...patroniOnDb(SHOP), ...CLIENTS],
  },
  ROLES,
);

type Way = keyof typeof LOSSES;
interface Kill {
  way: Way;
  isLeader: boolean;
}

/** Each way comes as often as the others, in a random order. The first ones are of the leader, each in another way. */
function drawKills(count: number, random: () => number): Kill[] {
  const ways: Way[] = [
    'its network is cut, and it still runs',
    'its host is killed',
    'its processes are killed',
    'its PostgreSQL is killed',
  ];
  const kills = Array.from({ length: count }, (_, index): Kill => {
    const way = ways[index % ways.length] as Way;
    return { way, isLeader: index < ways.length || random() < 0.7 };
  });
  for (let at = kills.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [kills[at], kills[other]] = [kills[other] as Kill, kills[at] as Kill];
  }
  return kills;
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
const percentile = (of: readonly number[], share: number) =>
  [...of].sort((a, b) => a - b)[Math.max(0, Math.ceil(of.length * share) - 1)] ?? 0;

describe.skipIf(why)('members of patroni are killed at random', () => {
  const ops = shellOf(INFRA, 'ops');
  const on = (name: string) => shellOf(INFRA, name);
  const query = (at: string, sql: string) => on(at)(`cd /; runuser -u postgres -- psql -d shop -XtAc ${JSON.stringify(sql)}`);

  withHostEngine(INFRA, async (engine) => {
    await keepCertificates(engine, INFRA, { etcd: certificateOf(ETCD_NAMES), patroni: certificateOf(['patroni']) });
    await keepSecrets(engine, INFRA, Object.fromEntries(ROLES.map((name) => [name, `of ${name}`])));
    await runWell(engine, {
      ...{ infra: INFRA, definition: DEFINITION },
      timing: { healthMs: 180_000, heartbeatMs: 10_000, retryMs: 500 },
    });
    await awaitWhole(on('db-1'), 2, WITHIN);
  });

  const timeoutMs = isLong ? 3_600_000 : 900_000;

  test(`${KILLS} members are lost: no acknowledged write is lost, and each member returns`, { timeout: timeoutMs }, async () => {
    const random = seededRandom(seedOf(process.env, 39));
    await query(await findLeader(on('db-1')), 'SET ROLE shop; CREATE TABLE ledger (n int PRIMARY KEY)');
    await startLedger(ops);
    await eventually(async () => expect((await readLedger(ops)).length).toBeGreaterThan(5), WITHIN, 200);
    const silences: number[] = [];
    const ofLeaders: number[] = [];
    let watcher = 'db-1';
    for (const [index, { way, isLeader }] of drawKills(KILLS, random).entries()) {
      const leader = await findLeader(on(watcher));
      const followers = MEMBERS.filter((name) => name !== leader);
      const lost = isLeader ? leader : (followers[Math.floor(random() * followers.length)] as string);
      watcher = MEMBERS.find((name) => name !== lost && name !== leader) ?? '';
      const since = Date.now();
      await LOSSES[way].lose(INFRA, lost);
      const before = (await readLedger(ops)).length;
      try {
        await eventually(async () => expect((await readLedger(ops)).length).toBeGreaterThan(before + 10), WITHIN, 200);
        // A leader that lost its processes or its network must have a successor. A killed PostgreSQL may start again in its place.
        if (isLeader && way !== 'its PostgreSQL is killed')
          await eventually(async () => expect(await findLeader(on(watcher))).not.toBe(lost), WITHIN, 200);
      } finally {
        await LOSSES[way].end(INFRA, lost);
      }
      const ended = Date.now();
      await awaitWhole(on(watcher), 2, 2 * WITHIN);
      const silence = longestSilence(await readLedger(ops), since);
      silences.push(silence);
      if (isLeader) ofLeaders.push(silence);
      console.log(
        `${index + 1}. ${isLeader ? 'leader' : 'follower'} ${lost}: ${way}: no write for ${seconds(silence)}; ${await findLeader(on(watcher))} leads; whole ${seconds(Date.now() - ended)} after its return`,
      );
    }
    await ops('touch /tmp/stop');
    const ledger = await readLedger(ops);
    for (const name of MEMBERS) {
      await eventually(
        async () => {
          const kept = new Set((await query(name, 'SELECT n FROM ledger')).split('\n').map(Number));
          expect(ledger.map(([n]) => n).filter((n) => !kept.has(n))).toEqual([]);
        },
        WITHIN,
        500,
      );
    }
    const p95 = (of: number[]) => seconds(percentile(of, 0.95));
    console.log(
      `${KILLS} kills: ${ledger.length} acknowledged writes, 0 lost; silence p50 ${seconds(percentile(silences, 0.5))}, p95 ${p95(silences)}, ` +
        `longest ${seconds(Math.max(...silences))}; of ${ofLeaders.length} lost leaders p95 ${p95(ofLeaders)}`,
    );
  });
});
