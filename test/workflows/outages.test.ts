import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { emptyInventory } from '../../core/infra/inventory.js';
import { infraWorkflowId } from '../../core/names.js';
import { batchOf, farm, server, submitBatch, untilMark } from '../support/batches.js';
import { breakFolder } from '../support/broken-folder.js';
import { untilCommand } from '../support/command-line.js';
import { demoDefinition } from '../support/definition.js';
import { type DemoAccount, doubled, serversIn } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { endAll, eventually, submit } from '../support/operations.js';

/** Longer than the SDK's own retries (ten seconds). */
const AWAY_MS = 11_000;
const DAY_MS = 86_400_000;
/** Retries within a workflow's own task wrote six events every ten seconds. */
const WATCHED_MS = 25_000;
/** Entities with this pace instead of two seconds live a day in that many milliseconds. */
const PACE_MS = 1;
const SHORT_DAY_MS = (DAY_MS / 2_000) * PACE_MS;
/** Maximum number of events per day, for an operation or an entity. */
const MOST_EVENTS = 200;
const MEMBERS = 60;
const INFRAS = 6;

describe('what operations need is away, and the worker is not', { timeout: 240_000 }, () => {
  let engine: TestEngine;
  let account: DemoAccount;

  withDemoEngine((...started) => {
    [engine, account] = started;
  });

  async function outage(): Promise<void> {
    await engine.killServer();
    await sleep(AWAY_MS);
    await engine.up();
  }

  test("without Temporal's server a batch loses none of its operations", async () => {
    await account.behave({ latencyMs: { '*': 60, boot: 100 } });
    const names = Array.from({ length: MEMBERS / INFRAS }, (_, index) => `s${index}`);
    const farms = Array.from({ length: INFRAS }, (_, index) => `farm${index}`);
    const plan = await batchOf(
      'outage',
      {
        parallel: 20,
        operations: farms.flatMap((infra) =>
          names.map((name) => server(`${infra}-${name}`, { file: `${infra}.json`, servers: [name] })),
        ),
      },
      Object.fromEntries(farms.map((infra) => [`${infra}.json`, farm(infra, names)])),
    );
    const batch = await submitBatch(engine, plan);
    await eventually(async () => expect(Object.keys((await account.read()).servers).length).toBeGreaterThan(5));
    await outage();
    const result = await (await engine.client()).batches.result({ batch });
    expect([result.status, result.why]).toEqual(['done', {}]);
    const state = await account.read();
    expect(Object.keys(state.servers)).toHaveLength(MEMBERS);
    expect(doubled(state)).toEqual([]);
    await endAll(engine);
  });

  test("without Temporal's server operations of many infras all end well", async () => {
    await account.clear();
    await account.behave({ latencyMs: { '*': 60, 'host.step': 200, boot: 300 } });
    const infras = Array.from({ length: 12 }, (_, index) => `shop-${index}`);
    const operations: string[] = [];
    for (const infra of infras)
      operations.push(
        await submit(engine, {
          infra,
          definition: demoDefinition(infra, { servers: [{ name: 'web', count: 2 }], taskservs: ['nginx'] }),
          timing: { retryMs: 100, heartbeatMs: 5_000 },
        }),
      );
    await sleep(1_500);
    await outage();
    const client = await engine.client();
    for (const operation of operations) {
      const { status, error } = await client.operations.result({ operation });
      expect([operation, status, error]).toEqual([operation, 'done', undefined]);
    }
    const state = await account.read();
    for (const infra of infras) expect(serversIn(state, infra)).toHaveLength(2);
    expect(doubled(state)).toEqual([]);
  });

  /** Returns the current number of events in each workflow. */
  const lengths = (workflows: string[]): Promise<number[]> =>
    Promise.all(workflows.map(async (one) => (await engine.temporal.workflow.getHandle(one).describe()).historyLength));

  /** Extrapolates each workflow's number of events to a day. */
  async function afterDay(workflows: string[]): Promise<Record<string, number>> {
    const before = await lengths(workflows);
    await sleep(WATCHED_MS);
    const after = await lengths(workflows);
    const grown = (index: number) => ((after[index] ?? 0) - (before[index] ?? 0)) * (DAY_MS / WATCHED_MS);
    return Object.fromEntries(workflows.map((one, index) => [one, (after[index] ?? 0) + grown(index)]));
  }

  /** Starts an infra's entity with a short day. It checks the holders of its locks two thousand times as often. */
  async function quickEntity(infra: string): Promise<string> {
    const uuid = 'b5a1c0de-0000-4000-8000-000000000000';
    const networks = { kept: { name: 'kept', provider: 'demo', id: 'x', since: 'test' } };
    const inventory = { ...emptyInventory({ workspace: 'default', infra, uuid }), networks };
    const workflowId = infraWorkflowId('default', infra);
    const args = [{ workspace: 'default', infra, paceMs: PACE_MS, state: { inventory } }];
    await engine.temporal.workflow.start('infra', { workflowId, taskQueue: engine.taskQueue, args });
    await eventually(() => engine.temporal.workflow.getHandle(workflowId).query('locks'));
    return workflowId;
  }

  test('a day without a store writes next to nothing into histories, and all go on after it', async () => {
    await account.clear();
    await account.behave({});
    const client = await engine.client();
    const { rollbacks, sequences, claims } = engine.home;
    const quick = [await quickEntity('ends'), await quickEntity('told')];
    const of = (infra: string) => ({ infra, definition: demoDefinition(infra, { servers: [{ name: 'web', count: 1 }] }) });
    const untilSaid = (operation: string, why: string) =>
      eventually(async () => {
        const { status, waiting } = await client.operations.progress({ operation });
        expect([status, waiting]).toEqual([expect.stringMatching(/running|queued/), expect.stringContaining(why)]);
        expect(waiting).toMatch(/waits since \d{4}-.* and tries again: /);
      });
    const restore: (() => Promise<void>)[] = [];
    const broken = async (folder: string) => void restore.push(await breakFolder(folder));
    try {
      // Four cases: an operation's end, the end of a batch's operation, an entity's first task, an operation's start.
      await broken(rollbacks);
      const ends = await submit(engine, of('ends'));
      await untilSaid(ends, 'keep roll-back data');
      const plan = await batchOf('told', { operations: [server('a-1')] }, { 'farm.json': farm('told', ['a-1']) as never });
      const batch = await submitBatch(engine, plan);
      const told = await eventually(async () => {
        const [row] = await client.batches.rows({ batch, limit: 10 });
        expect(row?.operation).toBeDefined();
        return row?.operation as string;
      });
      await untilSaid(told, 'keep roll-back data');
      // An operation and a batch that wait for the lock of an operation that waits for the store. The other
      // operation's lock has no waiters.
      const timing = { askAgainMs: 50 };
      const behind = await submit(engine, { ...of('ends'), timing });
      const ofBatch = await batchOf('behind', { operations: [server('web')] }, { 'farm.json': farm('ends', ['web']) as never });
      const batchBehind = await submitBatch(engine, { ...ofBatch, timing });
      await untilMark(engine, batchBehind, 'web', 'asking');
      await broken(sequences);
      // The request for its place in the queue is repeated at its own interval.
      const queues = await submit(engine, { ...of('queues'), timing: { askAgainMs: 300_000 } });
      await untilSaid(queues, 'sequences');
      await broken(claims);
      const starts = await submit(engine, of('starts'));
      await untilSaid(starts, 'claims');
      await untilCommand(engine, ['status'], ({ stdout }) => {
        for (const infra of ['ends', 'queues', 'starts']) expect(stdout).toContain(`does not take the records of ${infra}`);
      });
      const waiting = [ends, told, queues, infraWorkflowId('default', 'queues'), starts, behind, batch, batchBehind];
      const runs = () => Promise.all(quick.map(async (one) => (await engine.temporal.workflow.getHandle(one).describe()).runId));
      const [before, began] = [await runs(), Date.now()];
      // By then the first requests for locks, which follow each other quickly, are over.
      await sleep(SHORT_DAY_MS - WATCHED_MS);
      const events = await afterDay(waiting);
      await sleep(began + SHORT_DAY_MS - Date.now());
      for (const [index, length] of (await lengths(quick)).entries()) events[quick[index] as string] = length;
      for (const [workflow, count] of Object.entries(events))
        expect(count, `events of ${workflow} after a day`).toBeLessThanOrEqual(MOST_EVENTS);
      expect(await runs()).toEqual(before);
      for (const putBack of restore.splice(0)) await putBack();
      for (const operation of [ends, told, queues, starts, behind]) {
        const { status, error } = await client.operations.result({ operation });
        expect([operation, status, error]).toEqual([operation, 'done', undefined]);
      }
      for (const one of [batch, batchBehind]) expect((await client.batches.result({ batch: one })).status).toBe('done');
      await untilCommand(engine, ['status'], ({ stdout }) => expect(stdout).not.toContain('does not take'));
    } finally {
      for (const putBack of restore) await putBack();
    }
  });
});
