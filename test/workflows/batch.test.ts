import { beforeEach, describe, expect, test } from 'vitest';
import { countMarks } from '../../core/operation/batch-rows.js';
import { decodeMessage } from '../../encryption/decode-message.js';
import { principal } from '../../home/principal.js';
import { countEffects } from '../../providers/demo/store/account.js';
import { batchOf, farm, recordOf, runBatch, server, submitBatch, untilMark } from '../support/batches.js';
import { definitionOf } from '../support/definition.js';
import { type DemoAccount, doubled, serversIn } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { endAll, eventually, runWell } from '../support/operations.js';
import { workOf } from '../support/work-times.js';

describe('a batch', { timeout: 120_000 }, () => {
  let engine: TestEngine;
  let account: DemoAccount;
  const client = () => engine.client();
  const serversOf = async (infra: string) => serversIn(await account.read(), infra);

  withDemoEngine((...started) => {
    [engine, account] = started;
  });
  beforeEach(async () => {
    await endAll(engine);
    await account.behave({});
  });

  test('200 operations in a diamond, 20 at once: order and limit, from the histories', async () => {
    await account.behave({ latencyMs: { 'servers.create': 60 } });
    const plan = await batchOf(
      'diamond',
      {
        parallel: 20,
        operations: [
          { ...server('root') },
          { name: 'leaf', kind: 'server', file: 'farm.json', servers: ['web-{i}'], count: 198, needs: ['root'] },
          { ...server('last'), needs: ['leaf'] },
        ],
      },
      {
        'farm.json': {
          infra: 'diamond',
          provider: 'demo',
          servers: [{ name: 'root' }, { name: 'web', count: 198 }, { name: 'last' }],
        },
      },
    );
    expect(plan.operations.map(({ stage }) => stage)).toEqual([0, ...Array(198).fill(1), 2]);
    const result = await runBatch(engine, plan);
    expect([result.status, countMarks(result.marks)]).toEqual(['done', { done: 200 }]);

    const times = await workOf(engine, result.batch, 200);
    const [root, ...others] = times as [(typeof times)[0], ...typeof times];
    const last = others.pop() as (typeof times)[0];
    expect(Math.min(...others.map(({ from }) => from))).toBeGreaterThan(root.to);
    expect(last.from).toBeGreaterThan(Math.max(...others.map(({ to }) => to)));
    const atOnce = others.map(({ from }) => others.filter((other) => other.from <= from && from < other.to).length);
    expect(Math.max(...atOnce)).toBeLessThanOrEqual(20);
    expect(Math.max(...atOnce)).toBeGreaterThan(10);

    const state = await account.read();
    expect(countEffects(state, { verb: 'servers.create' })).toBe(200);
    expect(doubled(state)).toEqual([]);
    const inventory = await (await client()).infras.inventory({ workspace: 'default', infra: 'diamond' });
    expect(Object.keys(inventory?.servers ?? {})).toHaveLength(200);
    expect(await (await client()).infras.locks({ workspace: 'default', infra: 'diamond' })).toEqual({ holders: [], waiters: [] });
  });

  test('operations of all kinds, each of which finds what those before it made', async () => {
    const plan = await batchOf(
      'mixed',
      {
        operations: [
          { name: 'all', kind: 'cluster', do: 'apply', file: 'shop.json' },
          { name: 'again', kind: 'taskserv', infra: 'mixed', servers: ['web'], taskservs: ['node-exporter'], needs: ['all'] },
          {
            name: 'less',
            kind: 'taskserv',
            do: 'delete',
            infra: 'mixed',
            servers: ['web'],
            taskservs: ['node-exporter'],
            needs: ['again'],
          },
          { name: 'gone', kind: 'cluster', do: 'delete', infra: 'mixed', needs: ['less'] },
        ],
      },
      { 'shop.json': { infra: 'mixed', provider: 'demo', servers: [{ name: 'web' }], taskservs: ['node-exporter'] } },
    );
    const before = (await account.read()).effects.length;
    const result = await runBatch(engine, plan);
    expect(await recordOf(engine, result.batch)).toEqual({ all: 'done', again: 'done', less: 'done', gone: 'done' });
    const verbs = (await account.read()).effects.slice(before).map(({ verb }) => verb);
    expect(verbs.filter((verb) => verb !== 'host.step')).toEqual([
      'networks.create',
      'servers.create',
      'servers.delete',
      'networks.delete',
    ]);
    expect(await serversOf('mixed')).toEqual([]);
  });

  test('per-batch-stage: no stage begins before somebody approves it', async () => {
    const plan = await batchOf(
      'gated',
      { approve: 'per-batch-stage', operations: [server('a'), server('b', { needs: ['a'] })] },
      { 'farm.json': farm('gated', ['a', 'b']) },
    );
    const id = await submitBatch(engine, plan);
    await eventually(
      async () => expect((await (await client()).batches.state({ batch: id })).waiting).toBe('stage 2 of 2 waits for an approval'),
      120_000,
    );
    expect((await recordOf(engine, id)).b).toBe('waiting: waits for the approval of stage 2');
    expect(await serversOf('gated')).toEqual(['a']);
    await (await client()).batches.approve({ batch: id, why: 'a looks good' });
    const result = await (await client()).batches.result({ batch: id });
    expect(result.status).toBe('done');
    expect(result.control).toMatchObject([{ actor: principal(), did: 'approved', step: 'stage 2', why: 'a looks good' }]);
  });

  test('an operation that is terminated from outside is noticed, and its lock goes with it', async () => {
    await account.behave({ latencyMs: { 'servers.create:a': 60_000 } });
    const plan = await batchOf(
      'dead',
      { onFailure: 'keep', operations: [server('first'), server('a', { needs: ['first'] }), server('b', { needs: ['a'] })] },
      { 'farm.json': farm('dead', ['first', 'a', 'b']) },
    );
    const id = await submitBatch(engine, plan);
    const { operation } = await untilMark(engine, id, 'a', 'running');
    await eventually(async () => engine.temporal.workflow.getHandle(operation ?? '').terminate('by a test'));
    const result = await (await client()).batches.result({ batch: id });
    expect(result.status).toBe('failed');
    expect(await recordOf(engine, id)).toMatchObject({
      a: 'failed: it was terminated from outside',
      b: 'skipped: it needs "a", which is failed',
    });
    await eventually(async () =>
      expect(await (await client()).infras.locks({ workspace: 'default', infra: 'dead' })).toEqual({ holders: [], waiters: [] }),
    );
  });

  test('continues as new while operations are at work, and takes all of it along', async () => {
    await account.behave({ latencyMs: { 'servers.create': 100 } });
    const plan = await batchOf(
      'long',
      { parallel: 5, operations: [{ name: 'op', kind: 'server', file: 'farm.json', servers: ['web-{i}'], count: 40 }] },
      { 'farm.json': { infra: 'long', provider: 'demo', servers: [{ name: 'web', count: 40 }] } },
    );
    const result = await runBatch(engine, { ...plan, continueAfter: 80 });
    expect(countMarks(result.marks)).toEqual({ done: 40 });
    expect(result.continued).toBeGreaterThan(0);
    expect(doubled(await account.read())).toEqual([]);
    expect(await serversOf('long')).toHaveLength(40);
  });

  test('waits are explained: a place, an account, a lock, a dependency', async () => {
    await account.behave({ latencyMs: { 'servers.create': 2_000 } });
    const plan = await batchOf(
      'waits',
      {
        parallel: 2,
        operations: [
          server('a'),
          { ...server('again'), servers: ['a'] },
          server('b', { priority: 5 }),
          server('c', { priority: 5, needs: ['a'] }),
        ],
      },
      { 'farm.json': farm('waits', ['a', 'b', 'c']) },
    );
    const id = await submitBatch(engine, plan);
    await untilMark(engine, id, 'again', 'asking');
    const record = await recordOf(engine, id);
    expect(record.again).toMatch(/^asking: waits for a lock/);
    expect(record.c).toBe('waiting: needs "a", which is running');
    const result = await (await client()).batches.result({ batch: id });
    expect(countMarks(result.marks)).toEqual({ done: 4 });
    expect(doubled(await account.read())).toEqual([]);
  });

  test('a killed worker: every effect once, every operation ends', async () => {
    await account.behave({ latencyMs: { 'servers.create': 150 } });
    const plan = await batchOf(
      'killed',
      {
        parallel: 10,
        operations: [
          server('root'),
          { name: 'op', kind: 'server', file: 'farm.json', servers: ['web-{i}'], count: 40, needs: ['root'] },
        ],
      },
      { 'farm.json': { infra: 'killed', provider: 'demo', servers: [{ name: 'root' }, { name: 'web', count: 40 }] } },
    );
    const id = await submitBatch(engine, plan);
    await eventually(async () => expect((await serversOf('killed')).length).toBeGreaterThan(8));
    await engine.killWorker();
    await engine.up();
    const result = await (await client()).batches.result({ batch: id });
    expect([result.status, countMarks(result.marks)]).toEqual(['done', { done: 41 }]);
    expect(doubled(await account.read())).toEqual([]);
    expect(await serversOf('killed')).toHaveLength(41);
    // A retried start may request the lock of an operation that is just ending.
    const locks = async () => (await client()).infras.locks({ workspace: 'default', infra: 'killed' });
    await eventually(async () => expect(await locks()).toEqual({ holders: [], waiters: [] }));
  });

  test('a rotated secret reaches the services that use it, infra by infra, and no further than the first failure', async () => {
    const { secrets, batches } = await client();
    const secret = { workspace: 'default', name: 'rotated' };
    await secrets.set({ ...secret, value: 'one' });
    for (const infra of ['rotated-a', 'rotated-b']) {
      const config = { password: { secret: 'rotated' } };
      const servers = [{ name: 'web', taskservs: [{ name: 'redis', config }, 'nginx'] }];
      await runWell(engine, { infra, definition: definitionOf({ infra, provider: 'demo', servers }, ['rotated']) });
    }
    await secrets.rotate({ ...secret, value: 'two' });
    const id = `batch-rotated-${process.pid}`;
    const settings = { 'operation.priority': { value: 2, layer: 'workspace' } };
    const manner = { priority: 2 as const, update: { strategy: 'all-at-once' as const }, timing: { healthMs: 9_000 }, settings };
    const manners = { 'rotated-a': manner };
    expect(await secrets.apply({ ...secret, as: id, manners })).toEqual({ batch: id, infras: ['rotated-a', 'rotated-b'] });
    expect((await batches.result({ batch: id })).status).toBe('done');
    // Each operation is queried in its own way, and the batch stores none of it in its history.
    const handle = (name: string) => engine.temporal.workflow.getHandle(name);
    expect(await handle(`${id}-1`).query('request')).toMatchObject({ ...manner, onFailure: 'rollback' });
    expect(await handle(`${id}-2`).query('request')).toMatchObject({ priority: 3, onFailure: 'rollback' });
    const codec = engine.encryption.codec(engine.temporal.options.namespace, engine.payloads, 'show');
    const bytes = Buffer.concat(bytesIn(await decodeMessage(codec, await handle(id).fetchHistory())));
    expect([bytes.includes('rotated-a'), bytes.includes('operation.priority')]).toEqual([true, false]);
    const operations = await Promise.all(
      (await batches.rows({ batch: id })).map(async ({ operation = '' }) => (await client()).operations.result({ operation })),
    );
    expect(operations.map(({ infra, services }) => [infra, services.map(({ taskserv }) => taskserv)])).toEqual([
      ['rotated-a', ['redis']],
      ['rotated-b', ['redis']],
    ]);
    await expect(secrets.apply({ ...secret, as: id })).rejects.toMatchObject({ details: { code: 'operation-exists' } });

    await account.behave({ failures: [{ verb: 'host.look', times: 99, error: 'user' }] });
    const second = await secrets.apply({ ...secret, as: `${id}-again` });
    const ended = await batches.result({ batch: second.batch ?? '' });
    expect(countMarks(ended.marks)).toEqual({ failed: 1, skipped: 1 });
  });
});

/** Returns all bytes of a history. */
const bytesIn = (value: unknown): Uint8Array[] =>
  value instanceof Uint8Array ? [value] : value && typeof value === 'object' ? Object.values(value).flatMap(bytesIn) : [];
