import { beforeEach, describe, expect, test } from 'vitest';
import { batchOperationId } from '../../core/operation/batch.js';
import { countMarks } from '../../core/operation/batch-rows.js';
import { principal } from '../../home/principal.js';
import { batchOf, farm, recordOf, refuses, runBatch, server, submitBatch, untilMark } from '../support/batches.js';
import { contentOf, type DemoAccount, serversIn } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { endAll, eventually, untilStatus } from '../support/operations.js';
import { plain, rawTemporal } from '../support/raw-temporal.js';

describe('a batch of which something was terminated from outside', { timeout: 120_000 }, () => {
  let engine: TestEngine;
  let account: DemoAccount;
  const client = () => engine.client();
  const serversOf = async (infra: string) => serversIn(await account.read(), infra);
  const terminate = (id: string) => engine.temporal.workflow.getHandle(id).terminate('by a test');

  withDemoEngine((...started) => {
    [engine, account] = started;
  });
  const rollBack = async (id: string) => {
    const { batch } = await (await client()).batches.rollback({ batch: id, as: `batch-undo-${id}` });
    return (await client()).batches.result({ batch });
  };
  /** Checks that every id in the record of a batch can be queried. */
  const askEach = async (batch: string) => {
    const rows = await (await client()).batches.rows({ batch });
    const ids = rows.flatMap(({ operation, undo }) => [operation ?? [], undo ?? []].flat());
    for (const id of ids) expect((await (await client()).operations.progress({ operation: id })).operation).toBe(id);
    return rows;
  };

  beforeEach(async () => {
    await endAll(engine);
    await account.behave({});
  });

  test('a stranger’s workflow with a plain memo beside its operations does not blind it', async () => {
    await account.behave({ latencyMs: { 'servers.create:slow': 20_000 } });
    const plan = await batchOf(
      'seen',
      { onFailure: 'keep', operations: [server('slow'), server('next')] },
      { 'farm.json': farm('seen', ['slow', 'next']) },
    );
    const id = await submitBatch(engine, plan);
    const { operation = '' } = await untilMark(engine, id, 'slow', 'running');
    await eventually(async () => expect((await (await client()).operations.progress({ operation })).status).toBe('running'));
    const memo = { stranger: plain('in plain text') };
    await rawTemporal(engine).start('cluster', `${id}-evil`, [plain({})], { memo });
    // The memo makes Temporal's own list fail.
    const query = `WorkflowId = '${id}-evil'`;
    await eventually(async () => {
      const listed = (async () => {
        for await (const _ of engine.temporal.workflow.list({ query })) expect(_).toBeUndefined();
        return 'empty';
      })();
      await expect(listed).rejects.toThrow(/sealed|not written/);
    });
    await terminate(`${id}-evil`).catch(() => {});
    await terminate(operation);
    expect(await (await client()).batches.result({ batch: id })).toMatchObject({ status: 'failed' });
    expect(await recordOf(engine, id)).toMatchObject({ slow: 'failed: it was terminated from outside', next: 'done' });
  });

  test('the batch itself: says so, what was done and what goes on; is rolled back, what goes on is stopped first', async () => {
    const before = contentOf(await account.read());
    await account.behave({ latencyMs: { 'servers.create:slow': 20_000 } });
    const plan = await batchOf(
      'cut',
      { operations: [server('a'), server('slow', { needs: ['a'] }), server('later', { needs: ['slow'] })] },
      { 'farm.json': farm('cut', ['a', 'slow', 'later']) },
    );
    const id = await submitBatch(engine, plan);
    const { operation = '' } = await untilMark(engine, id, 'slow', 'running');
    await eventually(async () => expect((await (await client()).operations.progress({ operation })).status).toBe('running'));
    await terminate(id);

    const state = await (await client()).batches.state({ batch: id });
    expect(state).toMatchObject({ status: 'failed', cut: 'it was terminated from outside' });
    expect(await recordOf(engine, id)).toEqual({
      a: 'done',
      slow: 'running: it goes on without the batch',
      later: 'canceled: the batch was terminated before it began',
    });
    await askEach(id);
    expect((await (await client()).batches.list({})).find(({ batch }) => batch === id)?.status).toBe('failed');
    await expect((await client()).batches.approve({ batch: id })).rejects.toMatchObject({ details: { code: 'not-waiting' } });

    const result = await rollBack(id);
    expect([result.status, result.cut, countMarks(result.marks)]).toEqual(['done', undefined, { undone: 1, canceled: 2 }]);
    expect((await (await client()).operations.progress({ operation })).control).toMatchObject([
      { did: 'cancel', actor: principal() },
    ]);
    await askEach(result.batch);
    expect(contentOf(await account.read())).toEqual(before);
    expect(await (await client()).infras.locks({ workspace: 'default', infra: 'cut' })).toEqual({ holders: [], waiters: [] });
  });

  test('the batch itself: what goes on without it can be canceled, once', async () => {
    await account.behave({ latencyMs: { 'servers.create': 20_000 } });
    const plan = await batchOf(
      'loose',
      { operations: ['a', 'b'].map((name) => server(name, { infra: `loose-${name}` })) },
      { 'farm.json': farm('loose', ['a', 'b']) },
    );
    const id = await submitBatch(engine, plan);
    for (const name of ['a', 'b']) {
      const { operation = '' } = await untilMark(engine, id, name, 'running');
      await eventually(async () => expect((await (await client()).operations.progress({ operation })).status).toBe('running'));
    }
    await terminate(id);
    expect(await (await client()).batches.cancel({ batch: id, why: 'enough' })).toBe(
      `2 operations that went on without the batch are canceled by ${principal()}`,
    );
    await eventually(
      async () => expect(await recordOf(engine, id)).toEqual({ a: 'canceled: it was canceled', b: 'canceled: it was canceled' }),
      120_000,
    );
    expect((await (await client()).operations.progress({ operation: batchOperationId(id, 0) })).control).toMatchObject([
      { actor: principal(), why: 'enough' },
    ]);
    await expect((await client()).batches.cancel({ batch: id })).rejects.toMatchObject({ details: { code: 'not-running' } });
    expect([await serversOf('loose-a'), await serversOf('loose-b')]).toEqual([[], []]);
  });

  test('the batch that rolls another back: a further one rolls back what is left', async () => {
    const before = contentOf(await account.read());
    const plan = await batchOf(
      'twice',
      { operations: [server('a'), server('b', { needs: ['a'] })] },
      { 'farm.json': farm('twice', ['a', 'b']) },
    );
    const { batch } = await runBatch(engine, plan);
    await account.behave({ latencyMs: { 'servers.delete:b': 5_000 } });
    const undo = await (await client()).batches.rollback({ batch, as: `batch-undo-${batch}` });
    await untilMark(engine, undo.batch, 'b', 'undoing');
    await terminate(undo.batch);
    expect((await recordOf(engine, undo.batch)).a).toBe('done');
    const result = await rollBack(undo.batch);
    expect([result.status, countMarks(result.marks)]).toEqual(['done', { undone: 2 }]);
    expect(contentOf(await account.read())).toEqual(before);
  });

  test('an operation that rolls back: its lock ends with it, and the rest is rolled back', async () => {
    const plan = await batchOf(
      'stuck',
      {
        operations: [
          { name: 'all', kind: 'cluster', do: 'apply', file: 'farm.json' },
          { name: 'more', kind: 'taskserv', infra: 'stuck', servers: ['a'], taskservs: ['node-exporter'], needs: ['all'] },
        ],
      },
      { 'farm.json': { ...farm('stuck', ['a']), taskservs: ['node-exporter'] } },
    );
    const { batch } = await runBatch(engine, plan);
    await account.behave({ latencyMs: { 'servers.delete': 30_000 } });
    const undo = await (await client()).batches.rollback({ batch, as: `batch-undo-${batch}` });
    const { undo: operation = '' } = await eventually(async () => {
      const row = await untilMark(engine, undo.batch, 'all', 'undoing');
      expect(row.undo).toBeDefined();
      return row;
    });
    // An operation cannot be queried before its start.
    await untilStatus(engine, operation, 'running');
    await terminate(operation);
    const result = await (await client()).batches.result({ batch: undo.batch });
    expect(result.status).toBe('failed');
    expect((await recordOf(engine, undo.batch)).all).toContain(
      `it was terminated from outside (provisioning workflow rollback ${batch}-1)`,
    );
    await askEach(undo.batch);
    // The infra receives it as a signal.
    await eventually(async () =>
      expect(await (await client()).infras.locks({ workspace: 'default', infra: 'stuck' })).toEqual({ holders: [], waiters: [] }),
    );
  });

  test('each id that the record of a rollback names can be asked about', async () => {
    await account.behave({ failures: [refuses('c')] });
    const plan = await batchOf(
      'named',
      { operations: [server('a'), server('b', { needs: ['a'] }), server('c', { needs: ['b'] }), server('d', { needs: ['c'] })] },
      { 'farm.json': farm('named', ['a', 'b', 'c', 'd']) },
    );
    const { batch } = await runBatch(engine, { ...plan, onFailure: 'keep' });
    const result = await rollBack(batch);
    const rows = await askEach(result.batch);
    expect(rows.map(({ name, mark, operation, undo }) => [name, mark, operation, undo])).toEqual([
      ['a', 'undone', `${batch}-1`, `${result.batch}-1-undo`],
      ['b', 'undone', `${batch}-2`, `${result.batch}-2-undo`],
      ['c', 'undone', `${batch}-3`, `${result.batch}-3-undo`],
      ['d', 'skipped', undefined, undefined],
    ]);
  });
});
