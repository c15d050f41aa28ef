import { describe, expect, test } from 'vitest';
import { exitCodeOf } from '../../core/exit-codes.js';
import { emptyInventory } from '../../core/infra/inventory.js';
import { infraWorkflowId } from '../../core/names.js';
import { demoDefinition } from '../support/definition.js';
import { contentOf, type DemoAccount, serversIn } from '../support/demo.js';
import { leavingNothing, withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { eventually, runWell, submit, untilStatus } from '../support/operations.js';

const INFRA = 'shop';
const withServers = (count: number) => demoDefinition(INFRA, { servers: [{ name: 'web', count }], taskservs: ['nginx'] });

describe('an operation whose infra received a definition submitted later', () => {
  let engine: TestEngine;
  let account: DemoAccount;
  withDemoEngine((...started) => {
    [engine, account] = started;
  });

  const client = () => engine.client();
  const waiting = async (count: number) =>
    eventually(async () =>
      expect((await (await client()).infras.locks({ workspace: 'default', infra: INFRA })).waiters).toHaveLength(count),
    );

  /** Queues two operations behind a running one. The second one is granted first. */
  async function overtaken(first: number, second: number, more = {}): Promise<{ older: string; newer: string }> {
    await account.behave({ latencyMs: { 'host.step': 600 } });
    const holder = await submit(engine, { infra: INFRA, definition: withServers(1) });
    await untilStatus(engine, holder, 'running');
    const older = await submit(engine, { infra: INFRA, definition: withServers(first), priority: 5, ...more });
    await waiting(1);
    const newer = await submit(engine, { infra: INFRA, definition: withServers(second), priority: 1 });
    await waiting(2);
    return { older, newer };
  }

  describe('and was granted before it', () => {
    leavingNothing(INFRA, () => ({ engine, account }));

    test('ends as superseded, having done nothing', async () => {
      const { older, newer } = await overtaken(3, 2);
      expect((await (await client()).operations.result({ operation: newer })).status).toBe('done');
      const before = contentOf(await account.read());
      const result = await (await client()).operations.result({ operation: older });
      expect(result).toMatchObject({
        status: 'superseded',
        steps: { executed: 0, planned: 0 },
        plan: [],
        supersededBy: { operation: newer },
      });
      expect(result.error).toBeUndefined();
      expect(exitCodeOf(result)).toBe(6);
      expect(contentOf(await account.read())).toEqual(before);
      expect(serversIn(await account.read(), INFRA).sort()).toEqual(['web-1', 'web-2']);
      expect((await (await client()).infras.inventory({ workspace: 'default', infra: INFRA }))?.definition?.servers).toHaveLength(
        2,
      );
      await eventually(async () =>
        expect(await (await client()).infras.locks({ workspace: 'default', infra: INFRA })).toEqual({ holders: [], waiters: [] }),
      );
      const row = (await (await client()).operations.list({ infra: INFRA })).find(({ operation }) => operation === older);
      expect(row?.status).toBe('superseded');
      // Submitted once more, it is the latest operation and is executed.
      expect((await runWell(engine, { infra: INFRA, definition: withServers(3) })).steps.executed).toBeGreaterThan(0);
    });

    test('also where that was what is in force already', async () => {
      const { older, newer } = await overtaken(3, 1);
      expect((await (await client()).operations.result({ operation: newer })).status).toBe('done');
      expect(await (await client()).operations.result({ operation: older })).toMatchObject({
        status: 'superseded',
        supersededBy: { operation: newer },
      });
    });

    test('is done where it brings that very definition', async () => {
      const { older, newer } = await overtaken(2, 2);
      expect((await (await client()).operations.result({ operation: newer })).status).toBe('done');
      expect((await (await client()).operations.result({ operation: older })).status).toBe('done');
    });
  });

  test('the entity knows it over its next run', async () => {
    // Its state has a network, so that it does not end before the first request.
    const networks = { later: { name: 'later', provider: 'demo', id: 'x', since: 'test' } };
    const inventory = {
      ...emptyInventory({ workspace: 'default', infra: 'later', uuid: 'b5a1c0de-0000-4000-8000-000000000001' }),
      networks,
    };
    const received = { operation: 'cluster-ensure-later-1', submitted: '9999-01-01T00:00:00.000Z' };
    const entity = await engine.temporal.workflow.start('infra', {
      workflowId: infraWorkflowId('default', 'later'),
      taskQueue: engine.taskQueue,
      args: [{ workspace: 'default', infra: 'later', continueAfter: 12, state: { inventory, received } }],
    });
    const definition = demoDefinition('later', { servers: [{ name: 'web' }], taskservs: ['nginx'] });
    for (let turn = 0; turn < 3; turn++) await runWell(engine, { infra: 'later', definition, check: true });
    const handle = engine.temporal.workflow.getHandle(entity.workflowId);
    await eventually(async () => expect((await handle.describe()).runId).not.toBe(entity.firstExecutionRunId));
    const older = await submit(engine, { infra: 'later', definition });
    expect(await (await client()).operations.result({ operation: older })).toMatchObject({
      status: 'superseded',
      supersededBy: received,
    });
    expect(serversIn(await account.read(), 'later')).toEqual([]);
    await handle.terminate('by a test');
  });
});
