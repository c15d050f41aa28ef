import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { emptyInventory, type Inventory, type InventoryChange, record } from '../../core/infra/inventory.js';
import { infraWorkflowId } from '../../core/names.js';
import { batchOf, farm, server, submitBatch, untilMark } from '../support/batches.js';
import { demoDefinition } from '../support/definition.js';
import type { DemoAccount } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { endAll, eventually, run, runWell, submit, untilStatus } from '../support/operations.js';
import { rawTemporal } from '../support/raw-temporal.js';
import { terminateFromOutside } from '../support/temporal-cli.js';

const SERVERS = ['web-1', 'web-2', 'web-3', 'web-4'];

describe('locks of operations that are terminated from outside', () => {
  let engine: TestEngine;
  let account: DemoAccount;
  const definitionFor = (infra: string) =>
    demoDefinition(infra, { servers: [{ name: 'web', count: SERVERS.length }], taskservs: ['nginx'] });
  const install = (infra: string, server: string) => ({
    infra,
    kind: 'taskserv' as const,
    intent: { verb: 'ensure' as const, servers: [server] },
  });
  const locks = async (infra: string) => (await engine.client()).infras.locks({ workspace: 'default', infra });
  const holders = async (infra: string) => (await locks(infra)).holders.map(({ operation }) => operation);
  const waiters = async (infra: string) => (await locks(infra)).waiters.map(({ operation }) => operation);
  const runOf = async (infra: string) =>
    (await engine.temporal.workflow.getHandle(infraWorkflowId('default', infra)).describe()).runId;
  /** Makes the next look at a host hang. */
  const hang = () => account.behave({ failures: [{ verb: 'host.look', times: 1, error: 'hang' }] });

  /** Starts an entity before any request. It continues in a new run after few events. */
  async function busyEntity(infra: string, continueAfter: number): Promise<void> {
    const inventory: Inventory = {
      ...emptyInventory({ workspace: 'default', infra, uuid: 'b5a1c0de-0000-4000-8000-000000000000' }),
      networks: { kept: { name: 'kept', provider: 'demo', id: 'x', since: 'test' } },
    };
    await engine.temporal.workflow.start('infra', {
      workflowId: infraWorkflowId('default', infra),
      taskQueue: engine.taskQueue,
      args: [{ workspace: 'default', infra, continueAfter, state: { inventory } }],
    });
  }

  /** Sends the entity requests without effect until it starts a new run. */
  async function untilNextRun(infra: string): Promise<void> {
    const before = await runOf(infra);
    for (let tries = 0; tries < 50 && (await runOf(infra)) === before; tries++)
      await run(engine, { ...install(infra, 'web-1'), definition: definitionFor(infra), check: true });
    expect(await runOf(infra)).not.toBe(before);
  }

  withDemoEngine(async (...started) => {
    [engine, account] = started;
    await runWell(engine, { infra: 'shop', definition: definitionFor('shop') });
  });
  beforeEach(() => account.behave({}));
  afterEach(() => endAll(engine));

  test('before the entity has begun a new run', async () => {
    await hang();
    const stuck = await submit(engine, install('shop', 'web-1'));
    await untilStatus(engine, stuck, 'running');
    const next = await submit(engine, install('shop', 'web-1'));
    await eventually(async () => expect(await waiters('shop')).toEqual([next]));
    await terminateFromOutside(engine, stuck);
    expect((await (await engine.client()).operations.result({ operation: next })).status).toBe('done');
    await eventually(async () => expect(await holders('shop')).toEqual([]));
  });

  test('after the entity has begun a new run, with the holder at work all the while', async () => {
    await busyEntity('busy', 20);
    await runWell(engine, { infra: 'busy', definition: definitionFor('busy') });
    await hang();
    const stuck = await submit(engine, install('busy', 'web-1'));
    await untilStatus(engine, stuck, 'running');
    const next = await submit(engine, install('busy', 'web-1'));
    await eventually(async () => expect(await waiters('busy')).toEqual([next]));
    await untilNextRun('busy');
    await untilNextRun('busy');
    expect(await holders('busy')).toEqual([stuck]);
    expect(await waiters('busy')).toEqual([next]);
    await terminateFromOutside(engine, stuck);
    expect((await (await engine.client()).operations.result({ operation: next })).status).toBe('done');
    await eventually(async () => expect(await holders('busy')).toEqual([]));
  });

  test('one in the queue, for whom others wait', async () => {
    await hang();
    const stuck = await submit(engine, install('shop', 'web-1'));
    await untilStatus(engine, stuck, 'running');
    const whole = await submit(engine, { infra: 'shop', definition: definitionFor('shop') });
    await eventually(async () => expect(await waiters('shop')).toEqual([whole]));
    const other = await submit(engine, install('shop', 'web-2'));
    await eventually(async () => expect(await waiters('shop')).toEqual([whole, other]));
    await terminateFromOutside(engine, whole);
    expect((await (await engine.client()).operations.result({ operation: other })).status).toBe('done');
    expect(await holders('shop')).toEqual([stuck]);
    await terminateFromOutside(engine, stuck);
    await eventually(async () => expect(await locks('shop')).toEqual({ holders: [], waiters: [] }));
  });

  test('one that has itself continued as new is the same operation until its last run ends', async () => {
    // An unrelated workflow that continues as new represents the operation.
    await busyEntity('chain', 10);
    const operation = infraWorkflowId('default', 'chain');
    const entity = engine.temporal.workflow.getHandle(infraWorkflowId('default', 'shop'));
    await entity.signal('acquire', { operation, kind: 'cluster', resources: ['server/web-3'], actor: 'tester' });
    await eventually(async () => expect(await holders('shop')).toEqual([operation]));
    const next = await submit(engine, install('shop', 'web-3'));
    await eventually(async () => expect(await waiters('shop')).toEqual([next]));
    await untilNextRun('chain');
    // Time for more than one check of the holder.
    await sleep(5_000);
    await untilNextRun('chain');
    expect(await holders('shop')).toEqual([operation]);
    expect(await waiters('shop')).toEqual([next]);
    await terminateFromOutside(engine, operation);
    expect((await (await engine.client()).operations.result({ operation: next })).status).toBe('done');
  });

  /** Locks the whole infra, and queues each kind of request behind that lock. */
  async function queueAll(infra: string, askAgainMs: number) {
    const place = { workspace: 'default', infra };
    const uuid = (await (await engine.client()).infras.inventory(place))?.uuid ?? '';
    await hang();
    const holder = await submit(engine, { infra, definition: definitionFor(infra) });
    await untilStatus(engine, holder, 'running');
    const orphan = { provider: 'demo', kind: 'server', name: 'web-1', id: 'x', reason: '', scope: { ...place, uuid } };
    const inquiries = {
      refresh: { ...place, actor: 'tester', record: true },
      orphans: { workspace: 'default', actor: 'tester', remove: [orphan] },
    };
    for (const [type, request] of Object.entries(inquiries))
      await engine.temporal.workflow.start(type, {
        workflowId: `${type}-${infra}`,
        taskQueue: engine.taskQueue,
        args: [{ ...request, askAgainMs }],
      });
    const operation = await submit(engine, { ...install(infra, 'web-1'), timing: { askAgainMs } });
    const plan = await batchOf('waits', { operations: [server('web-1')] }, { 'farm.json': farm(infra, SERVERS) });
    const batch = await submitBatch(engine, { ...plan, timing: { askAgainMs } });
    const all = [operation, `refresh-${infra}`, `orphans-${infra}`, `${batch}-1`].sort();
    await eventually(async () => expect((await waiters(infra)).sort()).toEqual(all));
    // If the entity is terminated while it answers, another attempt queries it.
    await untilMark(engine, batch, 'web-1', 'asking');
    return { holder, operation, batch, inquiries: [`refresh-${infra}`, `orphans-${infra}`] };
  }

  const MEANS = {
    terminated: (entity: string) => terminateFromOutside(engine, entity),
    deleted: (entity: string) => rawTemporal(engine).remove(entity),
  };

  test.each(Object.entries(MEANS))(
    'all who wait in the queue of an entity that is %s are heard by the next one',
    async (_, end) => {
      const { operation, batch, inquiries } = await queueAll('shop', 300);
      const client = await engine.client();
      await end(infraWorkflowId('default', 'shop'));
      // Time for several requests. None of them creates an empty entity for an infra in the store.
      await sleep(3_000);
      expect((await client.operations.progress({ operation })).waiting).toContain('infra recover shop');
      await client.infras.recover({ workspace: 'default', infra: 'shop' });
      expect((await client.operations.result({ operation })).status).toBe('done');
      expect((await client.batches.result({ batch })).status).toBe('done');
      for (const id of inquiries) await engine.temporal.workflow.getHandle(id).result();
      await eventually(async () => expect(await locks('shop')).toEqual({ holders: [], waiters: [] }));
    },
  );

  test('a cancel ends all who wait in the queue', async () => {
    const { holder, operation, inquiries } = await queueAll('shop', 60_000);
    const client = await engine.client();
    for (const id of [operation, ...inquiries]) await client.operations.cancel({ operation: id, why: 'it takes too long' });
    for (const id of inquiries)
      await expect(engine.temporal.workflow.getHandle(id).result()).rejects.toMatchObject({
        cause: { type: 'canceled', message: expect.stringMatching(/canceled it: it takes too long/) },
      });
    await eventually(async () => expect((await waiters('shop')).filter((id) => !id.startsWith('batch'))).toEqual([]));
    await terminateFromOutside(engine, holder);
  });

  test('nothing that is recorded is lost while the entity begins one new run after the other', async () => {
    await busyEntity('hammered', 40);
    const seen = new Set<string>();
    await account.behave({ failures: [{ verb: 'servers.create', times: 1, error: 'hang' }] });
    const holder = await submit(engine, {
      ...install('hammered', 'web-1'),
      kind: 'server',
      definition: demoDefinition('hammered', { servers: [{ name: 'web' }], taskservs: [] }),
      intent: { verb: 'ensure', servers: ['web'] },
    });
    const busy = await submit(engine, { infra: 'hammered', definition: definitionFor('hammered') });
    const grant = await eventually(async () => {
      const row = (await locks('hammered')).holders[0];
      expect(row).toBeDefined();
      return row?.grant ?? 0;
    });
    const entity = engine.temporal.workflow.getHandle(infraWorkflowId('default', 'hammered'));
    const expected: Record<string, Inventory> = {};
    const stream = async (name: string) => {
      let own = expected[name] ?? emptyInventory({ workspace: '', infra: '', uuid: '' });
      for (const changes of changesOf(name)) {
        for (const change of changes) own = record(own, change);
        await entity.signal('changed', { grant, changes });
      }
      expected[name] = own;
    };
    const watching = new AbortController();
    const watch = (async () => {
      while (!watching.signal.aborted) {
        seen.add(await runOf('hammered'));
        await sleep(50);
      }
    })();
    const names = Array.from({ length: 12 }, (_, index) => `host-${index}`);
    const previews = Promise.all(
      SERVERS.map((server) => run(engine, { ...install('hammered', server), definition: definitionFor('hammered'), check: true })),
    );
    // A fast machine needs fewer events, and therefore fewer runs, for the same work.
    for (let times = 0; times < 30 && seen.size <= 3; times++) await Promise.all(names.map(stream));
    await previews;
    watching.abort();
    await watch;
    const after = await (await engine.client()).infras.inventory({ workspace: 'default', infra: 'hammered' });
    const own = Object.fromEntries(names.map((name) => [name, after?.servers[name]]));
    expect(own).toEqual(Object.fromEntries(names.map((name) => [name, expected[name]?.servers[name]])));
    expect(
      Object.keys(after?.networks ?? {})
        .filter((name) => name.startsWith('host-'))
        .sort(),
    ).toEqual(names.flatMap((name) => Object.keys(expected[name]?.networks ?? {})).sort());
    expect(seen.size).toBeGreaterThan(3);
    expect([...(await holders('hammered')), ...(await waiters('hammered'))].sort()).toEqual([holder, busy].sort());
  });
});

/** Returns the changes of one holder, one list per signal: resources are added, changed and removed. */
function changesOf(name: string): InventoryChange[][] {
  const spec = { name, group: name, role: 'r', provider: 'demo', plan: { name: 's', cores: 1, memoryMiB: 1, diskGiB: 1 } };
  const server = {
    name,
    provider: 'demo',
    id: name,
    connection: { kind: 'this' as const },
    spec: { ...spec, image: 'i', labels: {}, volumes: [], network: 'n', protect: false },
    services: {},
    since: 'test',
  };
  const service = (taskserv: string, turn: number): InventoryChange => ({
    change: 'service',
    server: name,
    service: { taskserv, version: `${turn}`, config: { turn, of: name }, since: `turn-${turn}` },
  });
  const turns = Array.from({ length: 25 }, (_, turn): InventoryChange[] => [
    service(`s${turn % 5}`, turn),
    ...(turn % 7 === 3 ? [{ change: 'service-gone', server: name, taskserv: `s${(turn + 1) % 5}` } as const] : []),
    turn % 2 === 0
      ? { change: 'network', network: { name: `${name}-${turn % 6}`, provider: 'demo', id: `${turn}`, since: `turn-${turn}` } }
      : { change: 'network-gone', name: `${name}-${(turn * 5) % 6}` },
  ]);
  return [[{ change: 'server', server }], ...turns];
}
