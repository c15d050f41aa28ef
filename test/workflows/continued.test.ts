import { describe, expect, test } from 'vitest';
import type { TestEnvironment } from '../../core/environment/test-environment.js';
import { testEnvironmentId, testWorkspaceOf } from '../../core/names.js';
import { demoDefinition } from '../support/definition.js';
import { contentOf, type DemoAccount, doubled, NOTHING } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { endAll, eventually, run, runWell, submit, untilStatus, type Wish } from '../support/operations.js';

const INFRA = 'large';
/** Events of history after which an operation continues in a new run. Five activities run at once. */
const AFTER = 100;
const TIMING = { heartbeatMs: 5_000, retryMs: 50, healthMs: 1_000, continueAfter: AFTER };

/** Number of servers with which an operation has several runs. */
const SOME = 16;
/**
 * Number of servers with which it has more than four runs. This holds however many events the engine puts into one
 * workflow task.
 */
const MANY = 20;

describe('an operation that goes on in new runs', { timeout: 240_000 }, () => {
  let engine: TestEngine;
  let account: DemoAccount;
  withDemoEngine((...started) => {
    [engine, account] = started;
  });

  const definition = (servers: number, taskservs: Parameters<typeof demoDefinition>[1]['taskservs'] = ['nginx', 'redis']) =>
    demoDefinition(INFRA, { servers: [{ name: 'web', count: servers }], taskservs });
  const wish = (more: Partial<Wish> = {}): Wish => ({ infra: INFRA, timing: TIMING, ...more });

  /** Counts the runs of an operation. */
  async function runsOf(operation: string): Promise<number> {
    let runs = 0;
    for await (const _ of engine.temporal.workflow.list({ query: `WorkflowId = '${operation}'` })) runs++;
    return runs;
  }
  const untilRun = (operation: string, run: number) =>
    eventually(async () => expect(await runsOf(operation)).toBeGreaterThanOrEqual(run));

  async function clear(): Promise<void> {
    await endAll(engine);
    await account.behave({});
    await runWell(engine, wish({ intent: { verb: 'delete' }, allowDestroy: true }));
    expect(contentOf(await account.read())).toEqual(NOTHING);
    await account.clear();
  }

  test('many servers with two services: all is done, and nothing twice', async () => {
    const { operation, steps, plan, services } = await runWell(engine, wish({ definition: definition(SOME) }));
    expect(await runsOf(operation)).toBeGreaterThanOrEqual(3);
    expect(steps.executed).toBe(plan.length);
    expect(services.map(({ healthy }) => healthy)).toEqual(Array.from({ length: 2 * SOME }, () => true));
    const state = await account.read();
    expect(doubled(state)).toEqual([]);
    expect(contentOf(state).servers).toHaveLength(SOME);
    const again = await run(engine, wish({ definition: definition(SOME), check: true }));
    expect([again.status, again.plan]).toEqual(['done', []]);
    await clear();
  });

  test('failed in a later run: what all runs did is rolled back, in runs of its own', async () => {
    // The last of all services in order.
    await account.behave({ unhealthy: [`web-${SOME}/redis`] });
    const { operation, status, left, outcomes, error } = await run(
      engine,
      wish({ definition: definition(SOME), onFailure: 'rollback' }),
    );
    expect([status, left]).toEqual(['rolled-back', []]);
    expect(error?.on).toMatch(/redis|web-16/);
    expect(outcomes?.every(({ outcome }) => outcome !== 'cannot-be-undone')).toBe(true);
    expect(await runsOf(operation)).toBeGreaterThanOrEqual(4);
    const state = await account.read();
    expect(contentOf(state)).toEqual(NOTHING);
    expect(doubled(state)).toEqual([]);
    await account.behave({});
  });

  test('failed where nobody is asked about it, kept: rolled back afterwards, in several runs', async () => {
    await account.behave({ unhealthy: [`web-${SOME}/redis`] });
    const kept = await run(engine, wish({ definition: definition(SOME), onFailure: 'keep' }));
    expect(kept.status).toBe('failed');
    expect(kept.compensations?.length).toBeGreaterThan(2 * SOME);
    const intent = { verb: 'rollback' as const, of: kept.operation };
    const back = await runWell(engine, wish({ intent, allowDestroy: true }));
    expect([back.left, await runsOf(back.operation)]).toEqual([[], expect.any(Number)]);
    expect(await runsOf(back.operation)).toBeGreaterThanOrEqual(2);
    expect(contentOf(await account.read())).toEqual(NOTHING);
    await clear();
  });

  test('asked in a later run: retry does it again, skip leaves it out', async () => {
    await account.behave({ unhealthy: ['web-5/nginx', 'web-10/redis'] });
    const operation = await submit(engine, wish({ definition: definition(10), onFailure: 'ask' }));
    const client = await engine.client();
    await untilStatus(engine, operation, 'waiting');
    expect(await runsOf(operation)).toBeGreaterThan(1);
    await account.behave({ unhealthy: ['web-10/redis'] });
    await client.operations.decide({ operation, decision: 'retry' });
    await eventually(async () => expect((await client.operations.progress({ operation })).error?.on).toBe('web-10/redis'));
    await client.operations.decide({ operation, decision: 'skip' });
    const { status, skipped, services } = await client.operations.result({ operation });
    expect([status, skipped?.map(({ on }) => on)]).toEqual(['done', ['web-10/redis']]);
    expect(services.filter(({ healthy }) => !healthy).map(({ server }) => server)).toEqual(['web-10']);
    expect(doubled(await account.read())).toEqual([]);
    await clear();
  });

  test('approved, paused and resumed all the time: no message is lost, and none acts twice', async () => {
    const operation = await submit(engine, wish({ definition: definition(12), approve: ['before-change'] }));
    const client = await engine.client();
    await untilStatus(engine, operation, 'waiting');
    await client.operations.approve({ operation, approved: true });
    const said: string[] = ['approved'];
    const ended = client.operations.result({ operation });
    let isOver = false;
    ended.finally(() => {
      isOver = true;
    });
    // Only a message that came after the end may be rejected.
    const isTaken = (message: Promise<unknown>) =>
      message.then(
        () => true,
        (error) => {
          expect(error.message).toMatch(/it has ended/);
          return false;
        },
      );
    while (!isOver) {
      if (!(await isTaken(client.operations.pause({ operation })))) break;
      said.push('paused');
      if (!(await isTaken(client.operations.resume({ operation })))) break;
      said.push('resumed');
    }
    const { status, control } = await ended;
    expect(status).toBe('done');
    expect(await runsOf(operation)).toBeGreaterThanOrEqual(3);
    expect(control.map(({ did }) => did)).toEqual(said);
    expect(said.length).toBeGreaterThan(10);
    expect(doubled(await account.read())).toEqual([]);
    await clear();
  });

  test.each([2, 3, 4])('canceled as run %i begins: all is rolled back', async (at) => {
    const operation = await submit(engine, wish({ definition: definition(MANY), onFailure: 'rollback' }));
    await untilRun(operation, at);
    const client = await engine.client();
    await client.operations.cancel({ operation });
    const { status, left, control } = await client.operations.result({ operation });
    expect([status, left, control.map(({ did }) => did)]).toEqual(['canceled', [], ['cancel']]);
    expect(contentOf(await account.read())).toEqual(NOTHING);
    await account.clear();
  });

  test('killed again and again: nothing is done twice', async () => {
    await account.behave({ latencyMs: { 'host.step': 20 } });
    const operation = await submit(engine, wish({ definition: definition(MANY) }));
    for (let at = 2; at <= 4; at++) {
      await untilRun(operation, at);
      await engine.killWorker();
      await engine.up();
    }
    const { status, services } = await (await engine.client()).operations.result({ operation });
    expect([status, services.length]).toEqual(['done', 2 * MANY]);
    expect(doubled(await account.read())).toEqual([]);
    await clear();
  });

  test('what takes long on a host is asked to pause, and the next run goes on with it', async () => {
    // Only these steps are slow. Other steps end during them, and then the run begins to end.
    await account.behave({ latencyMs: { 'host.step:Install the package nginx': 4_000 } });
    const operation = await submit(
      engine,
      wish({ definition: definition(8), timing: { ...TIMING, drainMs: 200, continueAfter: 120 } }),
    );
    const { status, control } = await (await engine.client()).operations.result({ operation });
    expect([status, control]).toEqual(['done', []]);
    expect(await runsOf(operation)).toBeGreaterThan(1);
    expect(Object.keys((await account.read()).pauses ?? {})).not.toEqual([]);
    const again = await run(engine, wish({ definition: definition(8), check: true }));
    expect(again.plan).toEqual([]);
    await clear();
  });

  test('waves go on where they were', async () => {
    const redis = (maxMemory: string): Parameters<typeof definition>[1] => [
      { name: 'redis', config: { maxMemory }, update: { batch: 2, maxUnavailable: 2 } },
    ];
    await runWell(engine, wish({ definition: definition(12, redis('64 MiB')) }));
    const before = (await account.read()).effects.length;
    const { operation } = await runWell(engine, wish({ definition: definition(12, redis('128 MiB')) }));
    expect(await runsOf(operation)).toBeGreaterThanOrEqual(2);
    const state = await account.read();
    const changed = state.effects.slice(before).filter(({ verb }) => verb === 'host.step');
    const servers = [...new Set(changed.map(({ name }) => name.split('/')[0]))];
    expect(servers).toHaveLength(12);
    // In waves of two: servers in a later wave begin later.
    const first = servers.map((name) => Number(String(name).split('-')[1]));
    expect(first.map((number) => Math.ceil(number / 2))).toEqual(
      [...first.map((number) => Math.ceil(number / 2))].sort((a, b) => a - b),
    );
    expect(doubled(state)).toEqual([]);
    await clear();
  });

  test('restarted in several runs, each server once', async () => {
    await runWell(engine, wish({ definition: definition(8) }));
    const before = (await account.read()).effects.length;
    const servers = Array.from({ length: 8 }, (_, index) => `web-${index + 1}`);
    const { operation } = await runWell(engine, wish({ kind: 'server', intent: { verb: 'restart', servers } }));
    expect(await runsOf(operation)).toBeGreaterThanOrEqual(2);
    const started = (await account.read()).effects.slice(before).filter(({ verb }) => verb === 'servers.start');
    expect(started.map(({ name }) => name).sort()).toEqual([...servers].sort());
    await clear();
  });

  test('listed once, with when it began', async () => {
    const { operation } = await runWell(engine, wish({ definition: definition(6) }));
    const first: string[] = [];
    for await (const { startTime } of engine.temporal.workflow.list({ query: `WorkflowId = '${operation}'` }))
      first.push(startTime.toISOString());
    expect(first.length).toBeGreaterThan(1);
    const rows = await (await engine.client()).operations.list({ workspace: 'default', infra: INFRA });
    const own = rows.filter((row) => row.operation === operation);
    expect(own.map(({ started, status }) => [started, status])).toEqual([[first.sort()[0], 'done']]);
    await clear();
  });

  test('a test environment whose removal fails goes on in new runs, as it was', async () => {
    const place = { workspace: testWorkspaceOf('default'), infra: 'tried' };
    const definition = demoDefinition('tried', { servers: [{ name: 'web' }], taskservs: [] });
    await runWell(engine, { ...place, definition });
    await account.behave({ failures: [{ verb: 'servers.delete', times: 99, error: 'user' }] });
    const owner = { host: 'here', pid: 1, started: 'then' };
    const ttl = { ttlMs: 3_600_000, ending: 'it was tried', continueAfter: 1 };
    const workflowId = testEnvironmentId(place.workspace, place.infra);
    const environment = engine.temporal.workflow.getHandle(workflowId);
    await engine.temporal.workflow.start('testEnvironment', {
      workflowId,
      taskQueue: engine.taskQueue,
      args: [{ ...place, ...ttl, owner, actor: 'tester', type: 'single', about: 'nginx' }],
    });
    const state = () => environment.query<TestEnvironment>('environment');
    const again = () => environment.signal('endEnvironment', { actor: 'tester' });
    await eventually(async () => expect((await state()).failure).toContain('cluster-delete-tried'));
    const before = await state();
    await environment.signal('keepEnvironment', { actor: 'tester' });
    await again();
    await untilRun(workflowId, 2);
    await eventually(async () => expect((await state()).failure).toBeDefined());
    const { owner: _, failure: __, ...kept } = before;
    expect(await state()).toMatchObject(kept);
    expect((await state()).owner).toBeUndefined();
    await account.behave({});
    await again();
    await environment.result();
    expect(contentOf(await account.read()).servers.filter((name) => name.includes('/tried/'))).toEqual([]);
  });
});
