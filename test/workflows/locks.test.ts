import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { emptyInventory } from '../../core/infra/inventory.js';
import { infraWorkflowId } from '../../core/names.js';
import { principal } from '../../home/principal.js';
import { demoDefinition } from '../support/definition.js';
import { type DemoAccount, doubled } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { endAll, eventually, requestOf, runWell, submit, untilStatus } from '../support/operations.js';

describe('locks', () => {
  let engine: TestEngine;
  let account: DemoAccount;
  const client = () => engine.client();
  const definition = demoDefinition('shop', { servers: [{ name: 'web', count: 4 }], taskservs: ['nginx'] });
  const install = (server: string, taskserv = 'redis') => ({
    infra: 'shop',
    kind: 'taskserv' as const,
    intent: { verb: 'ensure' as const, servers: [server], taskservs: [taskserv] },
    definition: demoDefinition('shop', { servers: [{ name: 'web', count: 4 }], taskservs: ['nginx', 'redis', 'node-exporter'] }),
  });
  const free = () =>
    eventually(async () =>
      expect(await (await client()).infras.locks({ workspace: 'default', infra: 'shop' })).toEqual({ holders: [], waiters: [] }),
    );

  withDemoEngine(async (...started) => {
    [engine, account] = started;
    await runWell(engine, { infra: 'shop', definition });
  });
  beforeEach(() => account.behave({}));
  afterEach(() => endAll(engine));

  test('operations on disjoint servers run side by side, both listed', async () => {
    await account.behave({ latencyMs: { 'host.step': 600 } });
    const [one, two] = [await submit(engine, install('web-1')), await submit(engine, install('web-2'))];
    await Promise.all([untilStatus(engine, one, 'running'), untilStatus(engine, two, 'running')]);
    const { holders, waiters } = await (await client()).infras.locks({ workspace: 'default', infra: 'shop' });
    expect(holders.map(({ operation, resources }) => [operation, resources]).sort()).toEqual(
      [
        [one, ['server/web-1']],
        [two, ['server/web-2']],
      ].sort(),
    );
    expect(waiters).toEqual([]);
    const listed = await eventually(async () => {
      const rows = (await (await client()).operations.list({ infra: 'shop' })).filter(({ ended }) => !ended);
      expect(rows.map(({ operation, status }) => [operation, status]).sort()).toEqual(
        [
          [one, 'running'],
          [two, 'running'],
        ].sort(),
      );
      return rows;
    });
    expect(listed[0]).toMatchObject({ kind: 'taskserv', infra: 'shop', actor: principal() });
    const ends = await Promise.all([one, two].map(async (operation) => (await client()).operations.result({ operation })));
    expect(ends.map(({ status }) => status)).toEqual(['done', 'done']);
    await free();
  });

  test('one that has its locks and asks once more is told of them again: it may not have heard the answer', async () => {
    await account.behave({ latencyMs: { 'host.step': 600 } });
    const operation = await submit(engine, install('web-4'));
    await untilStatus(engine, operation, 'running');
    const grants = async () => {
      const { events } = await engine.temporal.workflow.getHandle(operation).fetchHistory();
      const signals = (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) => signal?.signalName ?? []);
      return signals.filter((name) => name === 'granted').length;
    };
    // The request was answered immediately.
    expect(await grants()).toBe(0);
    const request = { operation, kind: 'taskserv', resources: ['server/web-4'], actor: principal() };
    await engine.temporal.workflow.getHandle(infraWorkflowId('default', 'shop')).signal('acquire', request);
    await eventually(async () => expect(await grants()).toBe(1));
    expect((await (await client()).operations.result({ operation })).status).toBe('done');
    await free();
  });

  test('operations on the same server queue in order, and say for what they wait', async () => {
    await account.behave({ latencyMs: { 'host.step': 5_000 } });
    const first = await submit(engine, install('web-3'));
    await untilStatus(engine, first, 'running');
    const second = await submit(engine, install('web-3', 'node-exporter'));
    // The queue has the order in which requests arrive. For two concurrent starts that order is undefined.
    const queued = async () => (await (await client()).infras.locks({ workspace: 'default', infra: 'shop' })).waiters;
    await eventually(async () => expect(await queued()).toHaveLength(1));
    const whole = await submit(engine, { infra: 'shop', definition });
    await eventually(async () => expect(await queued()).toHaveLength(2));
    const waiters = await queued();
    expect(waiters.map(({ operation, blockedBy }) => [operation, blockedBy.map((by) => [by.operation, by.resource])])).toEqual([
      [second, [[first, 'server/web-3']]],
      [
        whole,
        [
          [first, 'server/web-3'],
          [second, 'server/web-3'],
        ],
      ],
    ]);
    const rows = await eventually(async () => {
      const found = (await (await client()).operations.list({ infra: 'shop' })).filter(({ status }) => status === 'queued');
      expect(found).toHaveLength(2);
      return found;
    });
    for (const { waiting } of rows) expect(waiting).toMatch(new RegExp(`^waits for server web-3, held by ${first} since \\d{4}-`));
    // A preview changes nothing and waits for no lock.
    await runWell(engine, { infra: 'shop', definition, check: true });
    expect((await (await client()).operations.progress({ operation: first })).status).toBe('running');
    // The first operation runs until here, however slow the machine is.
    await account.behave({});

    for (const operation of [first, second, whole])
      expect((await (await client()).operations.result({ operation })).status).toBe('done');
    await free();
    expect(doubled(await account.read())).toEqual([]);
  });

  test('a queued operation that is canceled does nothing, and the keys of the infra stay', async () => {
    await account.behave({ latencyMs: { 'host.look': 800 } });
    const first = await submit(engine, { infra: 'shop', definition });
    await untilStatus(engine, first, 'running');
    const queued = await submit(engine, { infra: 'shop', definition, onFailure: 'rollback' });
    await untilStatus(engine, queued, 'queued');
    const key = join(engine.home.keys, 'default', 'shop', 'id_ed25519');
    // Simulated hosts need no key: it is created at the first request.
    await (await client()).infras.publicKey({ workspace: 'default', infra: 'shop' });
    expect(existsSync(key)).toBe(true);
    await (await client()).operations.cancel({ operation: queued });
    expect(await (await client()).operations.result({ operation: queued })).toMatchObject({
      status: 'canceled',
      steps: { executed: 0 },
    });
    expect(existsSync(key)).toBe(true);
    expect((await (await client()).operations.result({ operation: first })).status).toBe('done');
    await free();
  });

  test('a holder that is terminated from outside frees its lock', async () => {
    await account.behave({ failures: [{ verb: 'host.look', times: 1, error: 'hang' }] });
    const stuck = await submit(engine, install('web-4'));
    await untilStatus(engine, stuck, 'running');
    const next = await submit(engine, install('web-4', 'node-exporter'));
    await eventually(async () =>
      expect((await (await client()).infras.locks({ workspace: 'default', infra: 'shop' })).waiters).toHaveLength(1),
    );
    await engine.temporal.workflow.getHandle(stuck).terminate('by a test');
    expect((await (await client()).operations.result({ operation: next })).status).toBe('done');
    const ended = { status: 'failed', error: { code: 'terminated', why: 'it was terminated from outside' } };
    expect(await (await client()).operations.progress({ operation: stuck })).toMatchObject(ended);
    expect(await (await client()).operations.result({ operation: stuck })).toMatchObject(ended);
    await free();
  });

  test('the entity begins a new run with its inventory and its locks', async () => {
    // Its state has a network, so that it does not end before the first request.
    const inventory = {
      ...emptyInventory({ workspace: 'default', infra: 'busy', uuid: 'b5a1c0de-0000-4000-8000-000000000000' }),
      networks: { busy: { name: 'busy', provider: 'demo', id: 'x', since: 'test' } },
    };
    const state = { inventory, holders: [], waiters: [], nextGrant: 7 };
    const handle = await engine.temporal.workflow.start('infra', {
      workflowId: infraWorkflowId('default', 'busy'),
      taskQueue: engine.taskQueue,
      args: [{ workspace: 'default', infra: 'busy', continueAfter: 30, state }],
    });
    const { runId } = await handle.describe();
    await account.behave({ latencyMs: { 'host.step': 300 } });
    const busy = (count: number) => demoDefinition('busy', { servers: [{ name: 'web', count }], taskservs: ['nginx', 'redis'] });
    const first = await submit(engine, { infra: 'busy', definition: busy(3) });
    await untilStatus(engine, first, 'running');
    const second = await submit(engine, { infra: 'busy', definition: busy(4) });
    // Twice thirty events occur while the first operation holds the lock and the second one waits.
    const seen = new Set<string>();
    for (let ended = false; !ended; await sleep(100)) {
      seen.add((await engine.temporal.workflow.getHandle(infraWorkflowId('default', 'busy')).describe()).runId);
      ended = (await (await client()).operations.progress({ operation: second })).status !== 'queued';
      if (ended) break;
      const { holders } = await (await client()).infras.locks({ workspace: 'default', infra: 'busy' });
      expect(holders.length).toBeLessThanOrEqual(1);
      for (const { operation, grant } of holders)
        expect([operation, grant]).toEqual(operation === first ? [first, 7] : [second, 8]);
    }
    for (const operation of [first, second]) expect((await (await client()).operations.result({ operation })).status).toBe('done');
    // The machine's speed decides how far the first gets before the second is admitted. Both together are enough on
    // any machine.
    seen.add((await engine.temporal.workflow.getHandle(infraWorkflowId('default', 'busy')).describe()).runId);
    expect([...seen].some((one) => one !== runId)).toBe(true);
    const after = await (await client()).infras.inventory({ workspace: 'default', infra: 'busy' });
    expect(Object.keys(after?.servers ?? {}).sort()).toEqual(['web-1', 'web-2', 'web-3', 'web-4']);
    expect(Object.values(after?.servers ?? {}).map(({ services }) => Object.keys(services).sort().join())).toEqual(
      Array(4).fill('nginx,redis'),
    );
    await runWell(engine, { infra: 'busy', intent: { verb: 'delete' }, allowDestroy: true });
    await eventually(async () => expect(await (await client()).infras.list({ workspace: 'default' })).not.toContain('busy'));
  });

  test('a request keeps its words', async () => {
    const request = requestOf({ infra: 'shop', definition });
    await (await client()).operations.submit({ request });
    expect(await (await client()).operations.request({ operation: request.id })).toEqual(
      JSON.parse(JSON.stringify({ ...request, actor: principal() })),
    );
    await (await client()).operations.result({ operation: request.id });
  });
});
