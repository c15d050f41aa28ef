import { beforeEach, describe, expect, test } from 'vitest';
import { countMarks } from '../../core/operation/batch-rows.js';
import type { BatchRequest } from '../../core/schema/batch-request.js';
import { batchOf, farm, inputOf, server, submitBatch, untilMark } from '../support/batches.js';
import { contentOf, type DemoAccount, serversIn } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { endAll, eventually } from '../support/operations.js';

describe('a batch that is being stopped', { timeout: 120_000 }, () => {
  let engine: TestEngine;
  let account: DemoAccount;
  const client = () => engine.client();

  withDemoEngine((...started) => {
    [engine, account] = started;
  });

  beforeEach(async () => {
    await endAll(engine);
    await account.behave({});
  });

  test('rolled back while it runs with the policy keep: also what canceled and failed operations had kept', async () => {
    const before = contentOf(await account.read());
    await account.behave({ unhealthy: ['nginx'], latencyMs: { boot: 30_000 } });
    const plan = await batchOf(
      'kept',
      {
        onFailure: 'keep',
        operations: [server('a'), { name: 'half', kind: 'cluster', do: 'apply', file: 'shop.json' }],
      },
      {
        'farm.json': farm('kept', ['a']),
        'shop.json': { infra: 'kept-shop', provider: 'demo', servers: [{ name: 'web' }], taskservs: ['nginx'] },
      },
    );
    const id = await submitBatch(engine, { ...plan, timing: { healthMs: 500 } });
    await eventually(async () => expect(serversIn(await account.read(), 'kept')).toEqual(['a']));
    await eventually(async () => expect(serversIn(await account.read(), 'kept-shop')).toEqual(['web']));
    await (await client()).batches.decide({ batch: id, decision: 'rollback' });
    const result = await (await client()).batches.result({ batch: id });
    expect(result.status).toBe('rolled-back');
    expect(contentOf(await account.read())).toEqual(before);
  });

  test('a run of it that begins meanwhile cancels what runs and gives up what waits for a lock', async () => {
    await account.behave({ latencyMs: { 'servers.create': 30_000 } });
    const operations = [server('a'), { name: 'all', kind: 'cluster' as const, do: 'apply' as const, file: 'farm.json' }];
    const plan = await batchOf('again', { operations }, { 'farm.json': farm('again', ['a', 'b']) });
    const id = await submitBatch(engine, plan);
    await untilMark(engine, id, 'a', 'running');
    await untilMark(engine, id, 'all', 'asking');
    // The state that the batch passes to its next run if a person stops it at that moment.
    const state = await (await client()).batches.state({ batch: id });
    const input = await inputOf<BatchRequest>(engine, id);
    await engine.temporal.workflow.getHandle(id).terminate('its next run is begun by a test');
    await engine.temporal.workflow.start('batch', {
      workflowId: id,
      taskQueue: engine.taskQueue,
      args: [input, { ...state, stopping: 'canceled', continued: 1 }],
    });
    const result = await (await client()).batches.result({ batch: id });
    expect([result.status, countMarks(result.marks)]).toEqual(['canceled', { canceled: 2 }]);
    await eventually(async () =>
      expect(await (await client()).infras.locks({ workspace: 'default', infra: 'again' })).toEqual({ holders: [], waiters: [] }),
    );
  });
});
