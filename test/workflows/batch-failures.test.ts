import { beforeEach, describe, expect, test } from 'vitest';
import type { ClosedOperation } from '../../activities/batch/watch-batch.js';
import { countMarks } from '../../core/operation/batch-rows.js';
import { principal } from '../../home/principal.js';
import { batchOf, farm, recordOf, refuses, runBatch, server, signalsTo, submitBatch, untilMark } from '../support/batches.js';
import { contentOf, type DemoAccount, serversIn } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { endAll, eventually } from '../support/operations.js';

describe('a batch of which something fails', { timeout: 120_000 }, () => {
  let engine: TestEngine;
  let account: DemoAccount;
  const client = () => engine.client();
  const serversOf = async (infra: string) => serversIn(await account.read(), infra);

  withDemoEngine((...started) => {
    [engine, account] = started;
  });
  const rollBack = async (id: string) => {
    const { batch } = await (await client()).batches.rollback({ batch: id, as: `batch-undo-${id}` });
    return (await client()).batches.result({ batch });
  };

  beforeEach(async () => {
    await endAll(engine);
    await account.behave({});
  });

  test('keep: what needs a failed one is skipped and says why; what only comes after it runs', async () => {
    await account.behave({ failures: [refuses('b')] });
    const plan = await batchOf(
      'kept',
      {
        onFailure: 'keep',
        operations: [
          server('a'),
          server('b', { needs: ['a'] }),
          server('c', { needs: ['b'] }),
          server('d', { needs: ['c'] }),
          server('e', { after: ['b'] }),
        ],
      },
      { 'farm.json': farm('kept', ['a', 'b', 'c', 'd', 'e']) },
    );
    const result = await runBatch(engine, plan);
    expect(result.status).toBe('failed');
    const record = await recordOf(engine, result.batch);
    expect(record).toMatchObject({
      a: 'done',
      c: 'skipped: it needs "b", which is failed',
      d: 'skipped: it needs "c", which is skipped',
      e: 'done',
    });
    expect(record.b).toContain('the demo account simulates a refusal');
    expect((await serversOf('kept')).sort()).toEqual(['a', 'e']);
  });

  test('rollback-branch: rolls back what was done for the failed one alone', async () => {
    await account.behave({ failures: [refuses('b')] });
    const plan = await batchOf(
      'branch',
      {
        onFailure: 'rollback-branch',
        operations: [
          server('base'),
          server('a', { needs: ['base'] }),
          server('b', { needs: ['a'] }),
          server('c', { needs: ['base'] }),
        ],
      },
      { 'farm.json': farm('branch', ['base', 'a', 'b', 'c']) },
    );
    const result = await runBatch(engine, plan);
    expect(await recordOf(engine, result.batch)).toMatchObject({ base: 'done', a: 'undone', c: 'done' });
    expect((await serversOf('branch')).sort()).toEqual(['base', 'c']);
    expect(await (await client()).infras.locks({ workspace: 'default', infra: 'branch' })).toEqual({ holders: [], waiters: [] });
  });

  test('rollback: the whole batch, over several infras, the last stage first; nothing is left', async () => {
    const before = contentOf(await account.read());
    await account.behave({ failures: [refuses('z')], latencyMs: { 'servers.create': 20 } });
    const plan = await batchOf(
      'whole',
      {
        operations: [
          {
            name: 'make',
            kind: 'server',
            file: 'farm.json',
            infra: 'whole-{i}',
            forEach: ['a', 'b'],
            servers: ['{each}'],
            count: 3,
          },
          { name: 'fail', kind: 'server', file: 'farm.json', infra: 'whole-{i}', servers: ['z'], count: 2, needs: ['make'] },
        ],
      },
      { 'farm.json': farm('whole', ['a', 'b', 'z']) },
    );
    const result = await runBatch(engine, plan);
    expect(result.status).toBe('rolled-back');
    expect(countMarks(result.marks)).toMatchObject({ undone: 6 });
    expect(contentOf(await account.read())).toEqual(before);
    // Temporal's list is updated a moment later.
    await eventually(async () => expect(await (await client()).infras.list({ workspace: 'default' })).not.toContain('whole-1'));
  });

  test('rollback, one operation at a time: the one that made the network is rolled back last, and waits for nobody', async () => {
    const before = contentOf(await account.read());
    await account.behave({ failures: [refuses('z')] });
    const plan = await batchOf(
      'single',
      { parallel: 1, operations: [server('a'), server('b'), server('c'), server('z', { needs: ['a', 'b', 'c'] })] },
      { 'farm.json': farm('single', ['a', 'b', 'c', 'z']) },
    );
    const result = await runBatch(engine, plan);
    expect(await recordOf(engine, result.batch)).toMatchObject({ a: 'undone', b: 'undone', c: 'undone' });
    expect(result.status).toBe('rolled-back');
    expect(contentOf(await account.read())).toEqual(before);
  });

  test('ask: waits for a person; retry does the failed ones again, and the record says who', async () => {
    await account.behave({ failures: [refuses('b')] });
    const plan = await batchOf(
      'asked',
      { onFailure: 'ask', operations: [server('a'), server('b'), server('c', { needs: ['b'] })] },
      { 'farm.json': farm('asked', ['a', 'b', 'c']) },
    );
    const id = await submitBatch(engine, plan);
    await eventually(async () => expect((await (await client()).batches.state({ batch: id })).status).toBe('waiting'));
    expect((await recordOf(engine, id)).c).toBe('waiting: waits for a decision about "b", which is failed');
    await expect((await client()).batches.approve({ batch: id })).rejects.toMatchObject({ details: { code: 'not-waiting' } });
    await account.behave({});
    await (await client()).batches.decide({ batch: id, decision: 'retry', why: 'the quota is raised' });
    const result = await (await client()).batches.result({ batch: id });
    expect([result.status, countMarks(result.marks)]).toEqual(['done', { done: 3 }]);
    expect(result.control).toMatchObject([{ actor: principal(), did: 'retried', why: 'the quota is raised' }]);
  });

  test('what is meant for an operation is not said to a batch, nor the other way round', async () => {
    await account.behave({ failures: [refuses('a')] });
    const plan = await batchOf('taken', { onFailure: 'ask', operations: [server('a')] }, { 'farm.json': farm('taken', ['a']) });
    const id = await submitBatch(engine, plan);
    await eventually(async () => expect((await (await client()).batches.state({ batch: id })).status).toBe('waiting'));
    const { operations, batches } = await client();
    const isBatch = { details: { code: 'unknown-operation', why: 'it is a batch', hint: `provisioning batch status ${id}` } };
    await expect(operations.approve({ operation: id, approved: false })).rejects.toMatchObject(isBatch);
    await expect(operations.decide({ operation: id, decision: 'skip' })).rejects.toMatchObject(isBatch);
    await expect(operations.cancel({ operation: id })).rejects.toMatchObject(isBatch);
    await expect(operations.progress({ operation: id })).rejects.toMatchObject(isBatch);
    await expect(operations.request({ operation: id })).rejects.toMatchObject(isBatch);
    const isOperation = { details: { why: 'it is an operation, not a batch', hint: `provisioning workflow status ${id}-1` } };
    await expect(batches.state({ batch: `${id}-1` })).rejects.toMatchObject(isOperation);
    await expect(batches.approve({ batch: `${id}-1` })).rejects.toMatchObject(isOperation);
    const isNone = { details: { what: 'find the batch', hint: 'provisioning batch list' } };
    await expect(batches.state({ batch: 'batch-none' })).rejects.toMatchObject(isNone);
    await expect(batches.cancel({ batch: 'batch-none' })).rejects.toMatchObject(isNone);
    expect(await (await client()).batches.state({ batch: id })).toMatchObject({ status: 'waiting', control: [] });
    await (await client()).batches.cancel({ batch: id });
  });

  test('cancel: what runs is told to stop, nothing more begins', async () => {
    await account.behave({ latencyMs: { 'servers.create': 1_500 } });
    const plan = await batchOf(
      'stopped',
      {
        onFailure: 'keep',
        parallel: 2,
        accounts: { demo: 2 },
        operations: [{ name: 'op', kind: 'server', file: 'farm.json', forEach: 'server' }],
      },
      { 'farm.json': farm('stopped', ['a', 'b', 'c', 'd']) },
    );
    const id = await submitBatch(engine, plan);
    await untilMark(engine, id, 'op-a', 'running');
    await (await client()).batches.cancel({ batch: id });
    const result = await (await client()).batches.result({ batch: id });
    expect([result.status, result.control[0]?.did]).toEqual(['canceled', 'cancel']);
    expect(countMarks(result.marks).canceled).toBeGreaterThanOrEqual(2);
    expect(await serversOf('stopped')).not.toContain('d');
    expect(await (await client()).infras.locks({ workspace: 'default', infra: 'stopped' })).toEqual({ holders: [], waiters: [] });
  });

  test('a death among many failures is noticed, by one watch that tells of each once', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `web-${index}`);
    await account.behave({ failures: names.map((name) => refuses(name)), latencyMs: { 'servers.create:last': 60_000 } });
    const plan = await batchOf(
      'many',
      { onFailure: 'keep', parallel: 6, operations: [...names.map((name) => server(name)), server('last', { after: ['web-0'] })] },
      { 'farm.json': farm('many', [...names, 'last']) },
    );
    const id = await submitBatch(engine, plan);
    const { operation = '' } = await untilMark(engine, id, 'last', 'running');
    await eventually(async () =>
      expect(countMarks((await (await client()).batches.state({ batch: id })).marks)).toEqual({ failed: 30, running: 1 }),
    );
    await engine.temporal.workflow.getHandle(operation).terminate('by a test');
    const result = await (await client()).batches.result({ batch: id });
    expect((await recordOf(engine, id)).last).toBe('failed: it was terminated from outside');
    const operations = (await signalsTo<ClosedOperation[]>(engine, result.batch, 'closed')).flatMap((told) =>
      told.map((one) => one.operation),
    );
    expect(operations).toContain(operation);
    expect(new Set(operations).size).toBe(operations.length);
  });

  test('rollback of an ended batch: also what failed operations had made and kept; another try takes what the first could not', async () => {
    await account.behave({ unhealthy: ['nginx'], failures: [refuses('c')] });
    const before = contentOf(await account.read());
    const plan = await batchOf(
      'owing',
      {
        onFailure: 'keep',
        operations: [
          server('a'),
          { name: 'half', kind: 'cluster', do: 'apply', file: 'shop.json' },
          server('c'),
          server('d', { needs: ['c'] }),
        ],
      },
      {
        'farm.json': farm('owing', ['a', 'c', 'd']),
        'shop.json': { infra: 'owing-shop', provider: 'demo', servers: [{ name: 'web' }], taskservs: ['nginx'] },
      },
    );
    const { batch } = await runBatch(engine, { ...plan, timing: { healthMs: 500 } });
    expect(await recordOf(engine, batch)).toMatchObject({ a: 'done', half: expect.stringMatching(/^failed/) });
    expect([await serversOf('owing'), await serversOf('owing-shop')]).toEqual([['a'], ['web']]);
    await account.behave({ failures: [{ verb: 'servers.delete', name: 'web', times: 99, error: 'user' }] });
    const tried = await rollBack(batch);
    expect(tried.status).toBe('failed');
    expect((await recordOf(engine, tried.batch)).half).toContain(`provisioning workflow rollback ${batch}-2`);
    // Another attempt rolls back the rest, with the id of either batch.
    await account.behave({});
    const result = await rollBack(tried.batch);
    expect([result.status, countMarks(result.marks)]).toEqual(['done', { undone: 3, skipped: 1 }]);
    expect(contentOf(await account.read())).toEqual(before);
    // Temporal's list is updated a moment later.
    await eventually(async () => expect(await (await client()).infras.list({ workspace: 'default' })).not.toContain('owing-shop'));
  });

  test('rollback of a canceled batch: also what canceled operations had made and kept', async () => {
    const before = contentOf(await account.read());
    await account.behave({ latencyMs: { boot: 10_000 } });
    const plan = await batchOf(
      'cut',
      {
        onFailure: 'keep',
        operations: [server('a'), server('b', { after: ['a'] })],
      },
      { 'farm.json': farm('cut', ['a', 'b']) },
    );
    const id = await submitBatch(engine, plan);
    await eventually(async () => expect(await serversOf('cut')).toEqual(['a']));
    await (await client()).batches.cancel({ batch: id });
    expect((await (await client()).batches.result({ batch: id })).status).toBe('canceled');
    expect(await serversOf('cut')).toEqual(['a']);
    const result = await rollBack(id);
    expect(result.status).toBe('done');
    expect(countMarks(result.marks)).toEqual({ undone: 1, canceled: 1 });
    expect(contentOf(await account.read())).toEqual(before);
  });
});
