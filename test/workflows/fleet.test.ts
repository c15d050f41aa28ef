import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseWorkerIdentity } from '../../core/names.js';
import { homeOf } from '../../home/home.js';
import { down } from '../../workers/engine/down.js';
import { fleet } from '../../workers/engine/fleet-verbs.js';
import { readRecord } from '../../workers/engine/record.js';
import { status } from '../../workers/engine/status.js';
import { up } from '../../workers/engine/up.js';
import { demoDefinition } from '../support/definition.js';
import { demoAccount } from '../support/demo.js';
import { letIn, startTestEngine, type TestEngine } from '../support/engine.js';
import { eventually, runWell, submit, untilStatus } from '../support/operations.js';

const root = join(import.meta.dirname, '../..');
const quiet = () => {};

/** Two builds of one fleet on a real server. The second build is the same code with another build id. */
describe('a fleet of two versions', () => {
  let first: TestEngine;
  let place: string;
  let second: { home: ReturnType<typeof homeOf>; env: NodeJS.ProcessEnv; dist: string };
  let builds: { a: string; b: string };
  const shop = (infra: string) => demoDefinition(infra, { servers: [{ name: 'web' }], taskservs: ['nginx'] });
  const states = async () =>
    Object.fromEntries((await fleet(first.home, { verb: 'status' })).versions.map((one) => [one.build, one]));
  /** Returns the builds that executed the workflow's tasks, from its history. */
  const buildsOf = async (workflow: string) => {
    const { events } = await first.temporal.workflow.getHandle(workflow).fetchHistory();
    const done = (events ?? []).flatMap(({ workflowTaskCompletedEventAttributes: task }) => (task ? [task] : []));
    const named = done.map(({ deploymentVersion }) => deploymentVersion?.buildId ?? '');
    expect(done.map(({ identity }) => parseWorkerIdentity(identity ?? '')?.build)).toEqual(named);
    return named;
  };

  beforeAll(async () => {
    const shared = {
      PROVISIONING_DEPLOYMENT: 'shop-workers',
      PROVISIONING_TASK_QUEUE: 'shop',
      PROVISIONING_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    };
    first = await startTestEngine(shared);
    place = await mkdtemp(join(tmpdir(), 'provisioning-fleet-'));
    await cp(join(root, 'dist'), join(place, 'dist'), { recursive: true });
    await cp(join(root, 'package.json'), join(place, 'package.json'));
    await symlink(join(root, 'node_modules'), join(place, 'node_modules'));
    await writeFile(join(place, 'dist/build-id'), 'second\n');
    await mkdir(join(place, 'home'));
    const { address = '', worker, certificates } = (await readRecord(first.home)) ?? {};
    const env = {
      ...first.env,
      ...shared,
      TEMPORAL_ADDRESS: address,
      ...letIn(certificates),
      PROVISIONING_HOME: join(place, 'home'),
    };
    second = { home: homeOf(env), env, dist: join(place, 'dist') };
    builds = { a: worker?.build ?? '', b: 'second' };
  });
  afterAll(async () => {
    if (second) await down(second.home);
    await first?.stop();
    if (place) await rm(place, { recursive: true, force: true });
  });

  test('the first worker of a fleet makes its version the current one', async () => {
    expect(await states()).toMatchObject({ [builds.a]: { state: 'current', operations: 0 } });
  });

  test('what began on one version goes on on it, while new operations begin on the other', { timeout: 120_000 }, async () => {
    await demoAccount(first).behave({ unhealthy: ['nginx'] });
    const old = await submit(first, { infra: 'old', definition: shop('old'), onFailure: 'ask' });
    await untilStatus(first, old, 'waiting');

    await up(second.home, { env: second.env, dist: second.dist, supervise: false }, quiet);
    expect((await states())[builds.b]).toMatchObject({ state: 'inactive' });
    await eventually(() => fleet(first.home, { verb: 'promote', build: builds.b }));
    await eventually(async () =>
      expect(await states()).toMatchObject({ [builds.a]: { state: 'draining', operations: 1 }, [builds.b]: { state: 'current' } }),
    );

    const fresh = await eventually(async () => {
      const { operation } = await runWell(first, { infra: 'fresh', definition: shop('fresh') });
      expect(new Set(await buildsOf(operation))).toEqual(new Set([builds.b]));
      return operation;
    });
    expect(fresh).not.toBe(old);

    await demoAccount(first).behave({});
    await (await first.client()).operations.decide({ operation: old, decision: 'retry' });
    expect((await (await first.client()).operations.result({ operation: old })).status).toBe('done');
    expect(new Set(await buildsOf(old))).toEqual(new Set([builds.a]));
  });

  test('two versions are no problem', async () => {
    const { state, pollers, problems } = await status(first.home);
    expect([state, new Set(pollers.map(({ build }) => build)), problems]).toEqual(['running', new Set([builds.a, builds.b]), []]);
  });

  test('the entity of an infra moves on to the current version', async () => {
    // The entity learns of an operation's end a moment after the waiting clients.
    await eventually(async () => {
      const taken = await buildsOf('infra/default/old');
      expect(taken[0]).toBe(builds.a);
      expect(taken.at(-1)).toBe(builds.b);
    });
  });

  test('a drained version may go, and one with operations may not', { timeout: 120_000 }, async () => {
    expect((await states())[builds.a]).toMatchObject({ operations: 0 });
    await writeFile(join(place, 'dist/build-id'), 'third\n');
    await demoAccount({ ...first, env: second.env }).behave({ unhealthy: ['nginx'] });
    const held = await submit(first, { infra: 'held', definition: shop('held'), onFailure: 'ask' });
    await untilStatus(first, held, 'waiting');
    const renamed = { ...second.env, PROVISIONING_DEPLOYMENT: 'others' };
    // The rejection repeats: it depends on the versions that the worker serves, not on the last request.
    for (const env of [second.env, renamed, renamed]) {
      const error = await up(second.home, { env, dist: second.dist, supervise: false }, quiet).catch((thrown) => thrown);
      expect(error.details).toMatchObject({ code: 'version-in-use', blame: 'user' });
    }
    await (await first.client()).operations.decide({ operation: held, decision: 'keep' });
    await eventually(async () => expect((await states())[builds.b]).toMatchObject({ operations: 0 }));
    expect(await up(second.home, { env: second.env, dist: second.dist, supervise: false }, quiet)).toMatchObject({
      worker: 'replaced',
      build: 'third',
    });
  });

  test('a build that nobody has seen is not promoted', async () => {
    const error = await fleet(first.home, { verb: 'promote', build: 'nowhere' }).catch((thrown) => thrown);
    expect(error.details).toMatchObject({ code: 'unknown-version', blame: 'user' });
  });
});
