import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Definition } from '../../core/definition/definition.js';
import { parseWorkerIdentity } from '../../core/names.js';
import { cacheOf } from '../../home/home.js';
import { findBinary } from '../../workers/engine/binary/find-binary.js';
import { readRecord } from '../../workers/engine/record.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { remainsOf, shellOf, sweep, whyNoHosts } from '../support/hosts.js';
import { eventually, run, runWell, submit } from '../support/operations.js';
import { findPostgres } from '../support/postgres.js';
import { faultsOn, quickstartAs } from '../support/quickstart.js';
import { tryPorts } from '../support/stranger.js';
import { startTeamEngine, type TeamEngine } from '../support/team-engine.js';

const why = (await whyNoHosts()) ?? (findPostgres() ? undefined : 'PostgreSQL is not installed');
if (why) console.warn(`left out: ${why}`);

const INFRA = `team-${process.pid}`;

/** Temporal's own server on PostgreSQL, and two workers that share only the store and the key. */
describe.skipIf(why)('a team of two workers on PostgreSQL', () => {
  let team: TeamEngine;
  let ann: TestEngine;
  let bob: TestEngine;
  let definition: Definition;
  const wish = (wanted: Definition) => ({
    infra: INFRA,
    definition: wanted,
    onFailure: 'keep' as const,
    timing: { healthMs: 60_000, heartbeatMs: 5_000, retryMs: 500 },
  });
  const pidOf = async ({ home }: TestEngine) => (await readRecord(home))?.worker?.pid;
  /** Returns the workers' pids by the services that they currently install. */
  const atWork = async (operation: string): Promise<Record<string, number | undefined>> => {
    const { raw } = await ann.temporal.workflow.getHandle(operation).describe();
    const acts = (raw.pendingActivities ?? []).filter(({ activityType }) => activityType?.name === 'act');
    return Object.fromEntries(
      acts.map(({ activityId, lastWorkerIdentity }) => [activityId, parseWorkerIdentity(lastWorkerIdentity ?? '')?.pid]),
    );
  };
  const unlocked = async () => {
    const { holders, waiters } = await (await ann.client()).infras.locks({ workspace: 'default', infra: INFRA });
    expect([holders, waiters]).toEqual([[], []]);
  };

  beforeAll(async () => {
    team = await startTeamEngine();
    const settings = {
      ...team.settings,
      PROVISIONING_STORE: team.store.urlWithoutPassword,
      PGPASSWORD: team.store.password,
      PROVISIONING_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    };
    [ann, bob] = await Promise.all([startTestEngine(settings), startTestEngine(settings)]);
    definition = await quickstartAs(INFRA);
  }, 600_000);
  afterAll(async () => {
    await Promise.allSettled([ann?.stop(), bob?.stop()]);
    await team?.stop();
    await sweep(INFRA);
  });

  test('lets in nobody without a certificate of the team, at none of its ports', async () => {
    const engine = await findBinary({ env: process.env, cache: cacheOf() }, () => {});
    const found = await tryPorts(engine?.path ?? '', team.ports);
    expect(Object.keys(found)).toHaveLength(8);
    const ways = Object.values(found).flatMap((tried) => Object.values(tried));
    expect(ways.filter((answer) => !/^refused: (ECONNRESET|closed|400|ERR_SSL_TLS)/.test(answer))).toEqual([]);
  });

  test('share a task queue, which goes with the store', () => {
    expect(ann.taskQueue).toBe(bob.taskQueue);
    expect(ann.home.root).not.toBe(bob.home.root);
  });

  test('the quickstart ends well when one of the two is killed while it works', async () => {
    const operation = await submit(ann, wish(definition));
    const victim = await pidOf(bob);
    await eventually(async () => expect(Object.values(await atWork(operation))).toContain(victim), 120_000);
    await bob.killWorker();
    const result = await (await ann.client()).operations.result({ operation });
    expect(await faultsOn(definition, result)).toEqual([]);
    await unlocked();
    // The home whose worker did not finish the work reads all logs, with and without its worker.
    const logs = async () =>
      (await (await bob.client()).operations.logs({ operation })).map(({ server, taskserv }) => `${server}/${taskserv}`);
    const wanted = definition.servers.flatMap(({ name, taskservs }) => taskservs.map((one) => `${name}/${one.name}`));
    expect([...new Set(await logs())].sort()).toEqual(wanted.sort());
    const key = await (await bob.client()).infras.publicKey({ workspace: 'default', infra: INFRA });
    await bob.up();
    expect([...new Set(await logs())].sort()).toEqual(wanted.sort());
    expect(await (await ann.client()).infras.publicKey({ workspace: 'default', infra: INFRA })).toBe(key);
  });

  test("a third web server comes while Temporal's server is killed and started again", async () => {
    const three = await quickstartAs(INFRA, (text) => text.replace('count: 2', 'count: 3'));
    const operation = await submit(bob, wish(three));
    await eventually(async () => expect(Object.keys(await atWork(operation))).not.toEqual([]));
    await team.kill();
    await sleep(1_000);
    await team.start();
    const result = await eventually(async () => (await bob.client()).operations.result({ operation }));
    expect(await faultsOn(three, result)).toEqual([]);
    await unlocked();
    expect(await shellOf(INFRA, 'hub')("grep -c 'web-3' /etc/haproxy/haproxy.cfg")).not.toBe('0');
  });

  test('it goes again while PostgreSQL is killed and started again, Temporal and store with it', async () => {
    const operation = await submit(ann, { ...wish(definition), allowDestroy: true });
    await eventually(
      async () => expect((await (await ann.client()).operations.progress({ operation })).status).toBe('running'),
      120_000,
    );
    await team.postgres.kill();
    await sleep(1_000);
    await team.postgres.start();
    const result = await eventually(async () => (await ann.client()).operations.result({ operation }));
    expect(await faultsOn(definition, result)).toEqual([]);
    await eventually(unlocked);
    expect((await runWell(bob, wish(definition))).steps.executed).toBe(0);
  });

  test('what the one made the other deletes, and nothing is left', async () => {
    const gone = await run(bob, { infra: INFRA, intent: { verb: 'delete' }, allowDestroy: true });
    expect([gone.status, gone.error]).toEqual(['done', undefined]);
    expect(await remainsOf(INFRA)).toEqual([]);
  });
});
