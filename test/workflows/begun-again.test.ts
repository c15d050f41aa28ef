import { describe, expect, test } from 'vitest';
import { REFUSAL_TYPE } from '../../core/encoding/sealed-message.js';
import { infraWorkflowId } from '../../core/names.js';
import { demoDefinition } from '../support/definition.js';
import type { DemoAccount } from '../support/demo.js';
import { leavingNothing, withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { eventually, run, runWell, submit, untilStatus } from '../support/operations.js';
import { plain, rawTemporal } from '../support/raw-temporal.js';

const INFRA = 'again';
const ENTITY = infraWorkflowId('default', INFRA);

/** A client with access to Temporal and without a key can send recorded messages at any later time. */
describe('what was recorded of something that is over', () => {
  let engine: TestEngine;
  let account: DemoAccount;
  withDemoEngine((...started) => {
    [engine, account] = started;
  });
  leavingNothing(INFRA, () => ({ engine, account }));

  const definition = (count: number) => demoDefinition(INFRA, { servers: [{ name: 'web', count }], taskservs: [] });
  const client = () => engine.client();
  const servers = async () =>
    Object.keys((await (await client()).infras.inventory({ workspace: 'default', infra: INFRA }))?.servers ?? {}).sort();
  const waiting = async (count: number) => {
    const operation = await submit(engine, { infra: INFRA, definition: definition(count), approve: ['before-change'] });
    await untilStatus(engine, operation, 'waiting');
    return operation;
  };

  test('an operation that was canceled in the queue is not begun again', async () => {
    await runWell(engine, { infra: INFRA, definition: definition(1) });
    const holder = await waiting(2);
    const queued = await submit(engine, { infra: INFRA, definition: definition(3) });
    await untilStatus(engine, queued, 'queued');
    await (await client()).operations.cancel({ operation: queued });
    expect((await (await client()).operations.result({ operation: queued })).status).toBe('canceled');
    const raw = rawTemporal(engine);
    const runId = await raw.start('cluster', queued, await raw.startedWith(queued));
    await (await client()).operations.approve({ operation: holder, approved: false });
    await (await client()).operations.result({ operation: holder });
    const error = await engine.temporal.workflow
      .getHandle(queued, runId)
      .result()
      .catch((thrown) => thrown);
    expect(JSON.stringify(error.cause)).toContain('was received before');
    expect(await servers()).toEqual(['web-1']);
  });

  test('an operation that gave way to a newer definition is not begun again', async () => {
    await runWell(engine, { infra: INFRA, definition: definition(1) });
    const holder = await waiting(2);
    const older = await submit(engine, { infra: INFRA, definition: definition(3), priority: 5 });
    await untilStatus(engine, older, 'queued');
    const newer = await submit(engine, { infra: INFRA, definition: definition(2), priority: 1 });
    await untilStatus(engine, newer, 'queued');
    await (await client()).operations.approve({ operation: holder, approved: false });
    await (await client()).operations.result({ operation: newer });
    expect((await (await client()).operations.result({ operation: older })).status).toBe('superseded');
    const raw = rawTemporal(engine);
    const runId = await raw.start('cluster', older, await raw.startedWith(older));
    const error = await engine.temporal.workflow
      .getHandle(older, runId)
      .result()
      .catch((thrown) => thrown);
    expect(JSON.stringify(error.cause)).toContain('was received before');
    expect(await servers()).toEqual(['web-1', 'web-2']);
  });

  test('what the entity of an infra was told before the infra was deleted changes nothing in its next life', async () => {
    await runWell(engine, { infra: INFRA, definition: definition(3) });
    const raw = rawTemporal(engine);
    const recorded = (await raw.received(ENTITY)).filter(({ kind }) => kind === 'signal');
    await runWell(engine, { infra: INFRA, intent: { verb: 'delete' }, allowDestroy: true });
    await eventually(async () => expect(await (await client()).infras.list({ workspace: 'default' })).toEqual([]));
    const holder = await waiting(1);
    const before = await (await client()).infras.locks({ workspace: 'default', infra: INFRA });
    expect(before.holders.map(({ operation }) => operation)).toEqual([holder]);
    for (const { name, payloads } of recorded) await raw.signal(ENTITY, name, payloads);
    expect(await servers()).toEqual([]);
    expect(
      (await (await client()).infras.locks({ workspace: 'default', infra: INFRA })).holders.map(({ operation }) => operation),
    ).toEqual([holder]);
    await (await client()).operations.approve({ operation: holder, approved: true });
    expect((await (await client()).operations.result({ operation: holder })).status).toBe('done');
    expect(await servers()).toEqual(['web-1']);
  });

  test('an infra is made whose entity somebody else started before, or reset and left for dead', async () => {
    const raw = rawTemporal(engine);
    const runId = await raw.start('infra', ENTITY, [plain({ workspace: 'default', infra: INFRA })]);
    const refused = engine.temporal.workflow.getHandle(ENTITY, runId).result();
    await expect(refused).rejects.toMatchObject({ cause: { type: REFUSAL_TYPE } });
    expect(await (await client()).infras.inventory({ workspace: 'default', infra: INFRA })).toBeUndefined();
    expect((await (await client()).infras.locks({ workspace: 'default', infra: INFRA })).holders).toEqual([]);
    await runWell(engine, { infra: INFRA, definition: definition(1) });
    const task = (await raw.history(ENTITY)).findLast((event) => event.workflowTaskCompletedEventAttributes);
    const { namespace } = engine.temporal.options;
    await engine.temporal.workflowService.resetWorkflowExecution({
      namespace,
      workflowExecution: { workflowId: ENTITY },
      reason: 'a stranger',
      requestId: 'reset',
      workflowTaskFinishEventId: task?.eventId,
    });
    const entity = engine.temporal.workflow.getHandle(ENTITY);
    await eventually(async () => {
      const failed = (await raw.history(ENTITY)).filter((event) => event.workflowTaskFailedEventAttributes);
      // The first failure records the reset.
      expect(failed.length).toBeGreaterThan(1);
    });
    await entity.terminate('left for dead');
    const { infras } = await client();
    expect(await infras.inventory({ workspace: 'default', infra: INFRA })).toBeUndefined();
    // An empty entity would be another infra.
    const lost = await run(engine, { infra: INFRA, definition: definition(1) });
    expect(lost.error).toMatchObject({ code: 'infra-lost' });
    await infras.recover({ workspace: 'default', infra: INFRA });
    await account.clear();
    await runWell(engine, { infra: INFRA, definition: definition(1) });
    expect(await servers()).toEqual(['web-1']);
  });
});
