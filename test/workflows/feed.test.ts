import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Feed, hasEnded, replayFeed } from '../../core/infra/feed.js';
import type { FeedState } from '../../core/infra/feed-state.js';
import { infraWorkflowId } from '../../core/names.js';
import { countMarks } from '../../core/operation/batch-rows.js';
import { openStores } from '../../stores/open-stores.js';
import type { Stores } from '../../stores/stores.js';
import { batchOf, farm, server, submitBatch } from '../support/batches.js';
import { untilCommand } from '../support/command-line.js';
import { demoDefinition } from '../support/definition.js';
import { type DemoAccount, serversIn } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { endAll, eventually, runWell, submit } from '../support/operations.js';

const definition = (infra: string, count: number, taskservs: string[] = []) =>
  demoDefinition(infra, { servers: [{ name: 'web', count }], taskservs });

describe('the feed of an infra', { timeout: 240_000 }, () => {
  let engine: TestEngine;
  let account: DemoAccount;
  let stores: Stores;
  let isAway = false;
  withDemoEngine(async (...started) => {
    [engine, account] = started;
    stores = await openStores(engine.home, engine.env);
  });
  beforeEach(async () => {
    await endAll(engine);
    await account.behave({});
  });
  afterEach(() => restore());

  /** Replaces the folder by a file, so that even root cannot read or write below it. */
  async function breakStore(): Promise<void> {
    // Without an operation before it, the store has no folder yet.
    await mkdir(engine.home.feeds, { recursive: true, mode: 0o700 });
    await rename(engine.home.feeds, `${engine.home.feeds}.away`);
    await writeFile(engine.home.feeds, '');
    isAway = true;
  }
  async function restore(): Promise<void> {
    if (!isAway) return;
    isAway = false;
    await rm(engine.home.feeds);
    await rename(`${engine.home.feeds}.away`, engine.home.feeds);
  }

  const feedsOf = (infra: string): Promise<Feed[]> => stores.feeds.read({ workspace: 'default', infra });
  const stateOf = (infra: string) => engine.temporal.workflow.getHandle(infraWorkflowId('default', infra)).query<FeedState>('feed');
  /** Checks that the state of an infra equals its feed, in both directions. */
  async function expectWhole(infra: string): Promise<void> {
    const client = await engine.client();
    const feeds = await feedsOf(infra);
    const feed = feeds.find((one) => !hasEnded(one)) as Feed;
    const { inventory, definitions } = replayFeed({ workspace: 'default', infra }, feed);
    expect(inventory).toEqual(await client.infras.inventory({ workspace: 'default', infra }));
    const rows = await client.infras.definitions({ workspace: 'default', infra });
    const known = definitions.entries.map(({ hash, operation, by }) => ({ hash, operation, by }));
    expect(known.reverse()).toEqual(rows.map(({ hash, operation, by }) => ({ hash, operation, by })));
  }
  /** Waits until all work is done and only the store is missing. */
  async function untilHeldBack(operation: string): Promise<void> {
    const client = await engine.client();
    await eventually(async () => {
      const progress = await client.operations.progress({ operation });
      expect(progress).toMatchObject({ status: 'running', waiting: expect.stringContaining('until the store keeps what it did') });
    });
  }

  test('has what the entity has, after each end of an operation, and a mark once the infra is deleted', async () => {
    await runWell(engine, { infra: 'fed', definition: definition('fed', 2, ['nginx']) });
    await expectWhole('fed');
    const { operation } = await runWell(engine, { infra: 'fed', definition: definition('fed', 3, ['nginx']) });
    await runWell(engine, { infra: 'fed', intent: { verb: 'rollback', of: operation }, allowDestroy: true });
    await expectWhole('fed');
    await runWell(engine, { infra: 'fed', intent: { verb: 'delete' }, allowDestroy: true });
    await eventually(async () => expect((await feedsOf('fed')).map(hasEnded)).toEqual([true]));
    const [first] = await feedsOf('fed');
    expect(first?.entries).toHaveLength(1);
    // The next life has another UUID and its own feed.
    await runWell(engine, { infra: 'fed', definition: definition('fed', 1) });
    expect((await feedsOf('fed')).map(hasEnded).sort()).toEqual([false, true]);
    await expectWhole('fed');
  });

  test('of an infra that is only looked at is none', async () => {
    await runWell(engine, { infra: 'seen', definition: definition('seen', 2), check: true });
    await eventually(async () => expect(await (await engine.client()).infras.list({ workspace: 'default' })).not.toContain('seen'));
    expect(await feedsOf('seen')).toEqual([]);
  });

  test('holds results back while the store is down, and no work; status says so', async () => {
    await runWell(engine, { infra: 'held', definition: definition('held', 1) });
    await breakStore();
    const first = await submit(engine, { infra: 'held', definition: definition('held', 2) });
    await untilHeldBack(first);
    expect(serversIn(await account.read(), 'held')).toEqual(['web-1', 'web-2']);
    // The locks of the first operation are free.
    const second = await submit(engine, { infra: 'held', definition: definition('held', 3) });
    await untilHeldBack(second);
    expect(serversIn(await account.read(), 'held')).toHaveLength(3);
    const said = await untilCommand(engine, ['status'], ({ stdout }) =>
      expect(stdout).toContain('the store does not take what is done on held'),
    );
    expect(said.code).toBe(3);
    // A preview ends as usual.
    await runWell(engine, { infra: 'held', check: true });
    await restore();
    const client = await engine.client();
    for (const operation of [first, second]) expect((await client.operations.result({ operation })).status).toBe('done');
    await expectWhole('held');
    await untilCommand(engine, ['status'], ({ code }) => expect(code).toBe(0));
  });

  test('loses nothing where the worker is killed between what was accepted and what was kept', async () => {
    await runWell(engine, { infra: 'killed', definition: definition('killed', 1) });
    await breakStore();
    const operation = await submit(engine, { infra: 'killed', definition: definition('killed', 2, ['nginx']) });
    await untilHeldBack(operation);
    await engine.killWorker();
    await restore();
    await engine.up();
    expect((await (await engine.client()).operations.result({ operation })).status).toBe('done');
    await expectWhole('killed');
  });

  test('is whole whenever the worker is killed', async () => {
    for (const afterMs of [100, 250, 400, 600]) {
      const infra = `at-${afterMs}`;
      const operation = await submit(engine, {
        infra,
        definition: definition(infra, 2, ['redis']),
        timing: { heartbeatMs: 5_000 },
      });
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await engine.killWorker();
      await engine.up();
      expect((await (await engine.client()).operations.result({ operation })).status).toBe('done');
      await expectWhole(infra);
    }
  });

  test('is taken along by an entity that continues as new with changes that are not kept', async () => {
    const infra = 'busy';
    const scope = { workspace: 'default', infra };
    const network = { name: 'n', provider: 'demo', id: 'n', since: 'o' };
    const inventory = { ...scope, uuid: 'b0b', servers: {}, networks: { n: network } };
    const entity = await engine.temporal.workflow.start('infra', {
      taskQueue: engine.taskQueue,
      workflowId: infraWorkflowId('default', infra),
      args: [{ ...scope, continueAfter: 12, state: { inventory } }],
    });
    await breakStore();
    const operations: string[] = [];
    for (const count of [1, 2, 3]) {
      const operation = await submit(engine, { infra, definition: definition(infra, count) });
      await untilHeldBack(operation);
      operations.push(operation);
    }
    await eventually(async () => expect((await entity.describe()).runId).not.toBe(entity.firstExecutionRunId));
    expect((await stateOf(infra)).waiting).toBeGreaterThan(3);
    await restore();
    const client = await engine.client();
    for (const operation of operations) expect((await client.operations.result({ operation })).status).toBe('done');
    await expectWhole(infra);
    const [feed] = await feedsOf(infra);
    expect([feed?.uuid, feed?.entries[0]?.content.kind]).toEqual(['b0b', 'snapshot']);
  });

  test('holds back the end of what a batch has begun', async () => {
    const plan = await batchOf(
      'fed',
      { operations: ['a-1', 'a-2'].map((name) => server(name)) },
      { 'farm.json': farm('farm', ['a-1', 'a-2']) as never },
    );
    await runWell(engine, { infra: 'farm', definition: definition('farm', 1) });
    await breakStore();
    const batch = await submitBatch(engine, plan);
    const made = async () => serversIn(await account.read(), 'farm').sort();
    await eventually(async () => expect(await made()).toEqual(['a-1', 'a-2', 'web-1']));
    await eventually(async () => expect((await stateOf('farm')).trouble?.why).toBeDefined());
    const client = await engine.client();
    await eventually(async () => {
      const state = await client.batches.state({ batch });
      expect(state).toMatchObject({ status: 'running', waiting: expect.stringContaining('until the store keeps what it did') });
    });
    await restore();
    expect((await client.batches.result({ batch })).status).toBe('done');
    await expectWhole('farm');
  });

  test('is told by few signals of what many units do at once', async () => {
    const servers = 30;
    await runWell(engine, { infra: 'wide', definition: definition('wide', servers) });
    const { events } = await engine.temporal.workflow.getHandle(infraWorkflowId('default', 'wide')).fetchHistory();
    const signals = events?.filter((event) => event.workflowExecutionSignaledEventAttributes?.signalName === 'changed');
    expect(signals?.length).toBeGreaterThan(0);
    expect(signals?.length).toBeLessThan(servers);
    await expectWhole('wide');
  });

  test('is waited for by a batch of many operations that end at once', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `a-${index}`);
    const plan = await batchOf(
      'many',
      { parallel: 50, operations: names.map((name) => server(name)) },
      { 'farm.json': farm('many', names) as never },
    );
    const batch = await submitBatch(engine, plan);
    const result = await (await engine.client()).batches.result({ batch });
    expect([result.status, countMarks(result.marks).done]).toEqual(['done', 50]);
    await expectWhole('many');
  });

  test('begins again with all that is known where the store has lost it', async () => {
    await runWell(engine, { infra: 'gone', definition: definition('gone', 1) });
    await rm(engine.home.feeds, { recursive: true });
    await runWell(engine, { infra: 'gone', definition: definition('gone', 2) });
    await expectWhole('gone');
  });
});
