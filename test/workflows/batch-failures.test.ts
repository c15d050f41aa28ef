import { beforeEach, describe, expect, test } from 'vitest';
import { countMarks } from '../../core/batch-rows.js';
import { batchOf, farm, recordOf, refuses, runBatch, server, submitBatch, untilMark } from '../support/batches.js';
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
    expect(record.b).toContain('the demo account was told to refuse');
    expect((await serversOf('kept')).sort()).toEqual(['a', 'e']);
  });

  test('rollback-branch: takes back what was done for the failed one alone', async () => {
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
    expect(await (await client()).locks('default', 'branch')).toEqual({ holders: [], waiters: [] });
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
    expect(await (await client()).infras('default')).not.toContain('whole-1');
  });

  test('ask: waits for a person; retry does the failed ones again, and the record says who', async () => {
    await account.behave({ failures: [refuses('b')] });
    const plan = await batchOf(
      'asked',
      { onFailure: 'ask', operations: [server('a'), server('b'), server('c', { needs: ['b'] })] },
      { 'farm.json': farm('asked', ['a', 'b', 'c']) },
    );
    const id = await submitBatch(engine, plan);
    await eventually(async () => expect((await (await client()).batch(id)).status).toBe('waiting'), 60_000);
    expect((await recordOf(engine, id)).c).toBe('waiting: waits for a decision about "b", which is failed');
    await expect((await client()).approveBatch(id, { actor: 'ada' })).rejects.toMatchObject({ details: { code: 'not-waiting' } });
    await account.behave({});
    await (await client()).decideBatch(id, 'retry', { actor: 'ada', why: 'the quota is raised' });
    const result = await (await client()).batchResult(id);
    expect([result.status, countMarks(result.marks)]).toEqual(['done', { done: 3 }]);
    expect(result.control).toMatchObject([{ actor: 'ada', did: 'retried', why: 'the quota is raised' }]);
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
    await (await client()).cancelBatch(id, { actor: 'ada' });
    const result = await (await client()).batchResult(id);
    expect([result.status, result.control[0]?.did]).toEqual(['canceled', 'cancel']);
    expect(countMarks(result.marks).canceled).toBeGreaterThanOrEqual(2);
    expect(await serversOf('stopped')).not.toContain('d');
    expect(await (await client()).locks('default', 'stopped')).toEqual({ holders: [], waiters: [] });
  });
});
