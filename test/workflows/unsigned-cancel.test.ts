import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../core/names.js';
import type { Progress } from '../../core/operation/operation.js';
import { principal } from '../../home/principal.js';
import { batchOf, farm, recordOf, server, submitBatch, untilMark } from '../support/batches.js';
import { demoDefinition } from '../support/definition.js';
import { contentOf, type DemoAccount, NOTHING, serversIn } from '../support/demo.js';
import { leavingNothing, withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { eventually, run, runWell, submit, untilStatus, type Wish } from '../support/operations.js';

const ME = principal();

/** A cancel that any client with access to Temporal can send. It only causes a question. */
describe("Temporal's own cancel, without our signed stop", () => {
  let engine: TestEngine;
  let account: DemoAccount;
  const client = () => engine.client();
  const definition = demoDefinition('cut', { servers: [{ name: 'web', count: 2 }], taskservs: ['nginx', 'redis'] });
  const start = (wish: Partial<Wish> = {}) => submit(engine, { infra: 'cut', definition, onFailure: 'rollback', ...wish });
  const cancel = (id: string) => engine.temporal.workflow.getHandle(id).cancel();
  const statusOf = async (id: string) => (await engine.temporal.workflow.getHandle(id).describe()).status.name;
  const did = ({ control }: Pick<Progress, 'control'>) => control.map(({ did, actor }) => `${did} ${actor}`);
  const effects = async () => (await account.read()).effects.length;
  const refusal = async (call: Promise<unknown>) =>
    call.then(
      () => 'accepted',
      (error) => error.details?.code ?? error,
    );

  withDemoEngine((...started) => {
    [engine, account] = started;
  });
  leavingNothing('cut', () => ({ engine, account }));

  /** Cancels a running operation this way. Returns the operation when it is at rest. */
  async function asked(): Promise<string> {
    await account.behave({ latencyMs: { 'host.step': 200 } });
    const operation = await start();
    await eventually(async () =>
      expect((await (await client()).operations.progress({ operation })).steps.executed).toBeGreaterThan(0),
    );
    await cancel(operation);
    const waiting = await untilStatus(engine, operation, 'waiting');
    expect([waiting.question, waiting.waiting]).toEqual([
      'cancel',
      expect.stringMatching(/nobody signed that\. Resume, roll back or keep\?$/),
    ]);
    // The current steps end.
    let seen = -1;
    await eventually(async () => {
      const before = seen;
      seen = await effects();
      await sleep(1_000);
      expect(seen).toBe(before);
    });
    return operation;
  }

  test('it pauses and asks, deletes nothing, and goes on when it is resumed', async () => {
    const operation = await asked();
    const before = await effects();
    const { servers } = contentOf(await account.read());
    await sleep(1_500);
    expect(await effects()).toBe(before);
    expect(servers).toEqual(['default/cut/web-1', 'default/cut/web-2']);
    const query = `WorkflowId = '${operation}' AND ${SEARCH_ATTRIBUTES.attention} = 'cancel'`;
    await eventually(async () => expect((await engine.temporal.workflow.count(query)).count).toBe(1));
    expect(await refusal((await client()).operations.decide({ operation, decision: 'retry' }))).toBe('not-waiting');
    await account.behave({});
    await (await client()).operations.resume({ operation });
    const done = await (await client()).operations.result({ operation });
    expect([done.status, did(done)]).toEqual(['done', ['cancel unknown', `resumed ${ME}`]]);
    expect(contentOf(await account.read()).servers).toEqual(servers);
  });

  test('the answer says what becomes of what was done', async () => {
    for (const [decision, left] of [
      ['keep', ['default/cut/web-1', 'default/cut/web-2']],
      ['rollback', []],
    ] as const) {
      const operation = await asked();
      await (await client()).operations.decide({ operation, decision });
      const canceled = await (await client()).operations.result({ operation });
      expect([canceled.status, did(canceled)]).toEqual(['canceled', ['cancel unknown', `${decision} ${ME}`]]);
      expect(contentOf(await account.read()).servers).toEqual(left);
      expect(await statusOf(operation)).toBe('CANCELLED');
      await runWell(engine, { infra: 'cut', intent: { verb: 'delete' }, allowDestroy: true });
    }
  });

  test('a signed cancel still stops it, by its policy', async () => {
    const operation = await asked();
    await (await client()).operations.cancel({ operation });
    const canceled = await (await client()).operations.result({ operation });
    expect([canceled.status, did(canceled)]).toEqual(['canceled', ['cancel unknown', `cancel ${ME}`]]);
    expect(contentOf(await account.read())).toEqual(NOTHING);
  });

  test('in the queue it asks as well, and keeps its place', async () => {
    await account.behave({ latencyMs: { 'host.step': 300 } });
    const first = await start();
    await untilStatus(engine, first, 'running');
    const queued = await start({ onFailure: 'rollback' });
    await untilStatus(engine, queued, 'queued');
    await cancel(queued);
    expect((await untilStatus(engine, queued, 'waiting')).question).toBe('cancel');
    await account.behave({});
    expect((await (await client()).operations.result({ operation: first })).status).toBe('done');
    expect((await (await client()).operations.progress({ operation: queued })).status).toBe('waiting');
    await (await client()).operations.resume({ operation: queued });
    expect((await (await client()).operations.result({ operation: queued })).status).toBe('done');
  });

  test('a roll-back asks whether to go on or to leave the rest', async () => {
    const done = await runWell(engine, { infra: 'cut', definition });
    await account.behave({ latencyMs: { 'servers.delete': 700 } });
    const back = await submit(engine, { infra: 'cut', intent: { verb: 'rollback', of: done.operation } });
    await eventually(async () => expect(contentOf(await account.read()).servers).toHaveLength(1));
    await cancel(back);
    expect((await untilStatus(engine, back, 'waiting')).waiting).toMatch(/Resume or keep\?$/);
    expect(await refusal((await client()).operations.decide({ operation: back, decision: 'rollback' }))).toBe('not-waiting');
    await (await client()).operations.decide({ operation: back, decision: 'keep' });
    const kept = await (await client()).operations.result({ operation: back });
    expect([kept.status, kept.of]).toEqual(['canceled', done.operation]);
    await account.behave({});
    expect((await run(engine, { infra: 'cut', intent: { verb: 'rollback', of: back } })).status).toBe('done');
    expect(contentOf(await account.read())).toEqual(NOTHING);
  });

  test('the entity of an infra does not hear it', async () => {
    await runWell(engine, { infra: 'cut', definition });
    await cancel('infra/default/cut');
    const again = await runWell(engine, { infra: 'cut', definition });
    expect(again.steps.planned).toBe(0);
    expect(await statusOf('infra/default/cut')).toBe('RUNNING');
  });

  test('a batch begins nothing new and asks; its operations end as they would', async () => {
    await account.behave({ latencyMs: { 'servers.create': 1_000 } });
    const plan = await batchOf(
      'cut',
      { parallel: 1, operations: [server('a'), server('b', { needs: ['a'] })] },
      { 'farm.json': farm('cut-farm', ['a', 'b']) },
    );
    const serversNow = async () => serversIn(await account.read(), 'cut-farm').sort();
    for (const decision of ['resume', 'keep', 'rollback'] as const) {
      const id = await submitBatch(engine, plan);
      await untilMark(engine, id, 'a', 'running');
      await cancel(id);
      await untilMark(engine, id, 'a', 'done');
      await eventually(async () => expect((await (await client()).batches.state({ batch: id })).status).toBe('waiting'));
      await sleep(500);
      const waiting = await (await client()).batches.state({ batch: id });
      expect([waiting.status, waiting.unsigned, waiting.waiting]).toEqual([
        'waiting',
        expect.any(String),
        expect.stringContaining('nobody signed'),
      ]);
      expect([await serversNow(), await recordOf(engine, id)]).toEqual([
        ['a'],
        { a: 'done', b: expect.stringMatching(/^waiting/) },
      ]);
      expect(await refusal((await client()).batches.decide({ batch: id, decision: 'skip' }))).toBe('not-waiting');
      await (await client()).batches.decide({ batch: id, decision });
      const { status } = await (await client()).batches.result({ batch: id });
      expect([decision, status, await serversNow()], JSON.stringify(await recordOf(engine, id))).toEqual(
        { resume: [decision, 'done', ['a', 'b']], keep: [decision, 'canceled', ['a']], rollback: [decision, 'rolled-back', []] }[
          decision
        ],
      );
      await runWell(engine, { infra: 'cut-farm', intent: { verb: 'delete' }, allowDestroy: true });
    }
  });
});
