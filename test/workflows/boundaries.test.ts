import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { messageOf, ProvisioningError } from '../../core/errors.js';
import type { FeedState } from '../../core/infra/feed-state.js';
import { infraWorkflowId } from '../../core/names.js';
import { countMarks } from '../../core/operation/batch-rows.js';
import { batchOf, farm, server, submitBatch } from '../support/batches.js';
import { demoDefinition } from '../support/definition.js';
import { type DemoAccount, demoAccount, doubled, serversIn } from '../support/demo.js';
import type { TestEngine } from '../support/engine.js';
import { type Gate, startGatedEngine } from '../support/gate.js';
import { endAll, eventually, run, runWell, submit, untilStatus } from '../support/operations.js';
import { withShortRuns } from '../support/short-runs.js';

const TIMING = { heartbeatMs: 5_000, retryMs: 50, healthMs: 1_000, continueAfter: 100 };
const MOMENTS = ['decided', 'done'] as const;
type Moment = (typeof MOMENTS)[number];

/** Returns `taken`, or the code of the message's rejection. */
const fateOf = (sent: Promise<unknown>): Promise<string> =>
  sent.then(
    () => 'taken',
    (error: unknown) => (error instanceof ProvisioningError ? error.details.code : messageOf(error)),
  );

describe('what is sent where a run ends', { timeout: 240_000 }, () => {
  let engine: TestEngine;
  let gate: Gate;
  let account: DemoAccount;
  beforeAll(async () => {
    ({ engine, gate } = await startGatedEngine());
    account = demoAccount(engine);
  });
  afterAll(() => engine?.stop());
  beforeEach(() => account.behave({}));
  afterEach(async () => {
    gate.watch();
    await endAll(engine);
  });

  const definition = (infra: string, servers: number) =>
    demoDefinition(infra, { servers: [{ name: 'web', count: servers }], taskservs: ['nginx'] });
  const feedOf = (infra: string) => engine.temporal.workflow.getHandle(infraWorkflowId('default', infra)).query<FeedState>('feed');
  async function clear(infra: string): Promise<void> {
    gate.watch();
    await runWell(engine, { infra, intent: { verb: 'delete' }, allowDestroy: true });
    expect(serversIn(await account.read(), infra)).toEqual([]);
    await account.clear();
  }

  /** Calls `send` at this moment of each run's end. Returns the number of ends, and of rejected ends. */
  function atEach(workflow: string, moment: Moment, ends: 'ended' | 'continued', send: (end: number) => Promise<void>) {
    const seen = { ends: 0, refused: 0 };
    let isAgain = false;
    gate.watch({
      workflow,
      ends,
      async act(now) {
        const isRepeated = isAgain;
        isAgain = now === 'decided';
        if (now === moment && !(isAgain && isRepeated)) await send(seen.ends++);
      },
      refused: () => seen.refused++,
    });
    return seen;
  }

  describe.each(MOMENTS)('%s', (moment) => {
    test('an operation: each update is answered once, and a second grant changes nothing', async () => {
      const infra = `told-${moment}`;
      const client = await engine.client();
      const fates: Promise<string[]>[] = [];
      await account.behave({ latencyMs: { 'servers.create': 400 } });
      const operation = await submit(engine, { infra, definition: definition(infra, 16), timing: TIMING });
      const seen = atEach(operation, moment, 'continued', async (end) => {
        // At its last ends the operation may be over before it receives a message, and reports that.
        if (end > 1) return;
        const handle = engine.temporal.workflow.getHandle(operation);
        await handle.signal('granted', { grant: 4711, inventory: { servers: {} } });
        await gate.updates(4, () => {
          const about = { operation };
          const said = [
            fateOf(client.operations.approve({ ...about, approved: true })),
            fateOf(client.operations.decide({ ...about, decision: 'retry' })),
            fateOf(client.operations.force(about)),
            fateOf(client.operations.pause(about).then(() => client.operations.resume(about))),
          ];
          fates.push(Promise.all(said));
        });
      });
      const { status, control, services } = await client.operations.result({ operation });
      expect([status, services.length]).toEqual(['done', 16]);
      expect(seen.ends).toBeGreaterThanOrEqual(2);
      if (moment === 'decided') expect(seen.refused).toBeGreaterThanOrEqual(fates.length);
      expect(await Promise.all(fates)).toEqual(fates.map(() => ['not-waiting', 'not-waiting', 'not-stopping', 'taken']));
      expect(control.map(({ did }) => did)).toEqual(fates.flatMap(() => ['paused', 'resumed']));
      expect(doubled(await account.read())).toEqual([]);
      await clear(infra);
    });

    test.each([0, 1])('an operation: a cancel at end %i of a run stops it, and all is rolled back', async (at) => {
      const infra = `stopped-${moment}-${at}`;
      const client = await engine.client();
      const canceled: Promise<string>[] = [];
      const operation = await submit(engine, { infra, definition: definition(infra, 16), timing: TIMING, onFailure: 'rollback' });
      atEach(operation, moment, 'continued', async (end) => {
        if (end === at) await gate.updates(1, () => canceled.push(fateOf(client.operations.cancel({ operation }))));
      });
      const { status, left, control } = await client.operations.result({ operation });
      expect([status, left, control.map(({ did }) => did)]).toEqual(['canceled', [], ['cancel']]);
      expect(await Promise.all(canceled)).toEqual(['taken']);
      expect(serversIn(await account.read(), infra)).toEqual([]);
      await account.clear();
    });

    test('an operation: a cancel that nobody signed has it ask', async () => {
      const infra = `unsigned-${moment}`;
      const operation = await submit(engine, { infra, definition: definition(infra, 12), timing: TIMING });
      const handle = engine.temporal.workflow.getHandle(operation);
      const seen = atEach(operation, moment, 'continued', async (end) => {
        if (end === 0) await handle.cancel();
      });
      expect((await untilStatus(engine, operation, 'waiting')).question).toBe('cancel');
      const client = await engine.client();
      await client.operations.resume({ operation });
      const { status, control } = await client.operations.result({ operation });
      expect([status, control.map(({ did }) => did)]).toEqual(['done', ['cancel', 'resumed']]);
      expect(seen.ends).toBeGreaterThan(0);
      await clear(infra);
    });

    test('an infra: who asks, tells, and ends is heard, of operations and of batches', async () => {
      const infra = `asked-${moment}`;
      const client = await engine.client();
      const names = Array.from({ length: 14 }, (_, index) => `a-${index}`);
      const first = await submit(engine, { infra, definition: definition(infra, 1) });
      await client.operations.result({ operation: first });
      await withShortRuns(engine, infra, 16);
      const operations: string[] = [];
      const seen = atEach(infraWorkflowId('default', infra), moment, 'continued', async (end) => {
        if (end < 4) operations.push(await submit(engine, { infra, check: true, definition: definition(infra, 1) }));
        // Other operations end in the pause, and request locks.
        await sleep(300);
      });
      const plan = await batchOf(
        'members',
        { parallel: 4, operations: names.map((name) => server(name)) },
        { 'farm.json': farm(infra, names) as never },
      );
      const batch = await submitBatch(engine, plan);
      operations.push(await submit(engine, { infra, kind: 'server', intent: { verb: 'restart', servers: ['web-1'] } }));
      const result = await client.batches.result({ batch });
      expect([result.status, countMarks(result.marks).done]).toEqual(['done', names.length]);
      for (const operation of operations) expect((await client.operations.result({ operation })).status).toBe('done');
      expect(seen.ends).toBeGreaterThanOrEqual(3);
      expect(await client.infras.locks({ workspace: 'default', infra })).toEqual({ holders: [], waiters: [] });
      expect(serversIn(await account.read(), infra)).toHaveLength(names.length + 1);
      const inventory = await client.infras.inventory({ workspace: 'default', infra });
      expect(Object.keys(inventory?.servers ?? {})).toHaveLength(names.length + 1);
      expect((await feedOf(infra)).trouble).toBeUndefined();
      expect(doubled(await account.read())).toEqual([]);
      await clear(infra);
    });

    test('a batch: who reports, approves and decides is heard', async () => {
      const infra = `batch-${moment}`;
      const client = await engine.client();
      const names = Array.from({ length: 16 }, (_, index) => `a-${index}`);
      const fates: Promise<string[]>[] = [];
      await account.behave({ latencyMs: { 'servers.create': 200 } });
      const plan = await batchOf(
        'reports',
        { parallel: 5, operations: names.map((name) => server(name)) },
        { 'farm.json': farm(infra, names) as never },
      );
      const batch = await submitBatch(engine, { ...plan, continueAfter: 24 });
      const seen = atEach(batch, moment, 'continued', async () => {
        await gate.updates(2, () => {
          const said = [fateOf(client.batches.approve({ batch })), fateOf(client.batches.decide({ batch, decision: 'retry' }))];
          fates.push(Promise.all(said));
        });
      });
      const result = await client.batches.result({ batch });
      expect([result.status, countMarks(result.marks).done]).toEqual(['done', names.length]);
      expect(seen.ends).toBeGreaterThanOrEqual(2);
      expect(result.continued).toBe(seen.ends);
      expect(await Promise.all(fates)).toEqual(fates.map(() => ['not-waiting', 'not-waiting']));
      expect(serversIn(await account.read(), infra)).toHaveLength(names.length);
      await clear(infra);
    });

    test('a batch: a cancel stops it, and what had begun is rolled back', async () => {
      const infra = `no-batch-${moment}`;
      const client = await engine.client();
      const names = Array.from({ length: 16 }, (_, index) => `a-${index}`);
      const canceled: Promise<string>[] = [];
      await account.behave({ latencyMs: { 'servers.create': 200 } });
      const plan = await batchOf(
        'stopped',
        { parallel: 5, onFailure: 'rollback', operations: names.map((name) => server(name)) },
        { 'farm.json': farm(infra, names) as never },
      );
      const batch = await submitBatch(engine, { ...plan, continueAfter: 24 });
      atEach(batch, moment, 'continued', async (end) => {
        if (end === 0) await gate.updates(1, () => canceled.push(fateOf(client.batches.cancel({ batch }))));
      });
      const result = await client.batches.result({ batch });
      expect([result.status, result.control.map(({ did }) => did)]).toEqual(['canceled', ['cancel']]);
      expect(await Promise.all(canceled)).toEqual(['taken']);
      expect(countMarks(result.marks).left ?? 0).toBe(0);
      expect(serversIn(await account.read(), infra)).toEqual([]);
      await account.clear();
    });
  });

  test('an infra that ends: who asks for it meanwhile gets it', async () => {
    const infra = 'reborn';
    await runWell(engine, { infra, definition: definition(infra, 1) });
    let next: Promise<string> | undefined;
    const seen = atEach(infraWorkflowId('default', infra), 'decided', 'ended', async (end) => {
      if (end > 0) return;
      next = submit(engine, { infra, definition: definition(infra, 2) });
      await next;
      await sleep(500);
    });
    expect((await run(engine, { infra, intent: { verb: 'delete' }, allowDestroy: true })).status).toBe('done');
    await eventually(async () => expect(seen.refused).toBe(1));
    const client = await engine.client();
    const { status } = await client.operations.result({ operation: (await next) as string });
    expect(status).toBe('done');
    expect((await feedOf(infra)).trouble).toBeUndefined();
    expect(serversIn(await account.read(), infra)).toHaveLength(2);
    await clear(infra);
  });

  test('an infra that ends: what it appends once more, since its end was refused, is taken', async () => {
    const infra = 'ended-again';
    await runWell(engine, { infra, definition: definition(infra, 1) });
    const entity = engine.temporal.workflow.getHandle(infraWorkflowId('default', infra));
    const seen = atEach(entity.workflowId, 'decided', 'ended', async (end) => {
      if (end === 0) await entity.signal('forgotten', []);
    });
    await runWell(engine, { infra, intent: { verb: 'delete' }, allowDestroy: true });
    await eventually(async () => expect(seen.refused).toBe(1));
    gate.watch();
    await runWell(engine, { infra, definition: definition(infra, 1) });
    expect((await feedOf(infra)).trouble).toBeUndefined();
    await clear(infra);
  });

  // This test failed once in a whole run, after six seconds, and never in nine separate runs. A retry uses a new
  // infra.
  let tries = 0;
  test('an infra whose first task of a run is lost has a whole feed, whatever came meanwhile', { retry: 1 }, async () => {
    tries += 1;
    const infra = `lost-task-${tries}`;
    gate.watch();
    await account.behave({});
    await engine.up();
    await runWell(engine, { infra, definition: definition(infra, 1) });
    await withShortRuns(engine, infra, 6);
    const entity = infraWorkflowId('default', infra);
    await account.behave({ latencyMs: { 'servers.create': 300 } });
    let killed: Promise<void> | undefined;
    let begin: (operation: string) => void = () => {};
    const begun = new Promise<string>((resolve) => {
      begin = resolve;
    });
    gate.watch({
      workflow: entity,
      ends: 'continued',
      refused() {},
      async act(moment) {
        if (moment !== 'begun' || killed) return;
        // Let the client learn of the submission, and the entity of created resources.
        await begun;
        await sleep(1_500);
        killed = engine.killWorker();
        await killed;
      },
    });
    const operation = await submit(engine, { infra, definition: definition(infra, 12) });
    begin(operation);
    await eventually(async () => expect(killed).toBeDefined());
    await killed;
    gate.watch();
    await engine.up();
    expect((await (await engine.client()).operations.result({ operation })).status).toBe('done');
    expect((await feedOf(infra)).trouble).toBeUndefined();
    await clear(infra);
  });
});
