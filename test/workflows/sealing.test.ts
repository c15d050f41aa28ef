import { describe, expect, test } from 'vitest';
import { REFUSAL_TYPE } from '../../core/encoding/sealed-message.js';
import { infraWorkflowId } from '../../core/names.js';
import * as workflows from '../../workflows/index.js';
import { demoDefinition } from '../support/definition.js';
import type { DemoAccount } from '../support/demo.js';
import { leavingNothing, withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { eventually, runWell, submit, untilStatus } from '../support/operations.js';
import { plain, type Received, rawTemporal } from '../support/raw-temporal.js';

const INFRA = 'sealed';
const ENTITY = infraWorkflowId('default', INFRA);

/** All messages of workflows, by kind. */
const SIGNALS = ['acquire', 'changed', 'release', 'told', 'forgotten', 'granted', 'grantable', 'closed', 'nobody-knows-this'];
const UPDATES = ['pause', 'resume', 'approve', 'decide', 'stop', 'force'];
const STARTS = Object.keys(workflows);

describe('what somebody says who reaches Temporal and has no key', () => {
  let engine: TestEngine;
  let account: DemoAccount;
  withDemoEngine((...started) => {
    [engine, account] = started;
  });
  leavingNothing(INFRA, () => ({ engine, account }));

  const definition = (count = 1) => demoDefinition(INFRA, { servers: [{ name: 'web', count }], taskservs: ['node-exporter'] });
  const apply = (more: object = {}) => runWell(engine, { infra: INFRA, definition: definition(), ...more });
  const effects = async () => (await account.read()).effects.length;
  const inventory = async () => (await engine.client()).infras.inventory({ workspace: 'default', infra: INFRA });
  const waiting = async () => {
    const operation = await submit(engine, { infra: INFRA, definition: definition(2), approve: ['before-change'] });
    await untilStatus(engine, operation, 'waiting');
    return operation;
  };

  test('in plain text stops nothing: after a thousand signals and a hundred starts the infra still serves', async () => {
    await apply();
    const raw = rawTemporal(engine);
    const before = await inventory();
    const nonsense = [plain({ operation: 'x', resources: ['*'] })];
    for (let index = 0; index < 1_000; index++) {
      await raw.signal(ENTITY, SIGNALS[index % SIGNALS.length] as string, index % 3 ? nonsense : []);
    }
    for (let index = 0; index < 100; index++) {
      await raw.start(STARTS[index % STARTS.length] as string, `stranger-${index}`, index % 2 ? nonsense : []);
    }
    expect(await inventory()).toEqual(before);
    expect((await (await engine.client()).infras.locks({ workspace: 'default', infra: INFRA })).waiters).toEqual([]);
    const done = await apply();
    expect(done.steps.executed).toBe(0);
    await eventually(async () => {
      const { status } = await engine.temporal.workflow.getHandle('stranger-99').describe();
      expect(status.name).toBe('FAILED');
    });
  });

  test.each(STARTS)('a start of %s in plain text ends before anything is done', async (type) => {
    const before = await effects();
    const raw = rawTemporal(engine);
    const id = `stranger-${type}`;
    const request = { id, kind: type, workspace: 'default', infra: INFRA, intent: { verb: 'ensure' }, definition: definition() };
    await raw.start(type, id, [plain(request)]);
    const error = await engine.temporal.workflow
      .getHandle(id)
      .result()
      .catch((thrown) => thrown);
    expect(error.cause).toMatchObject({ type: REFUSAL_TYPE });
    expect(await effects()).toBe(before);
    expect((await raw.history(id)).some((event) => event.activityTaskScheduledEventAttributes)).toBe(false);
  });

  test('is refused by each update and query, in plain text and without arguments', async () => {
    const operation = await waiting();
    const raw = rawTemporal(engine);
    for (const name of UPDATES) {
      expect(await raw.update(operation, name, [plain({ actor: 'stranger', approved: true, decision: 'rollback' })]), name).toBe(
        REFUSAL_TYPE,
      );
      expect(await raw.update(operation, name, []), name).toBe(REFUSAL_TYPE);
    }
    for (const name of ['progress', 'request']) expect(await raw.query(operation, name, []), name).toBeDefined();
    for (const name of ['inventory', 'locks', 'wait']) expect(await raw.query(ENTITY, name, [plain('x')]), name).toBeDefined();
    expect((await (await engine.client()).operations.progress({ operation })).status).toBe('waiting');
    await (await engine.client()).operations.approve({ operation, approved: false });
    await (await engine.client()).operations.result({ operation });
  });

  test('an approval that was recorded approves nothing else, nor the same again', async () => {
    const raw = rawTemporal(engine);
    const first = await waiting();
    const client = await engine.client();
    await client.operations.approve({ operation: first, approved: true });
    await client.operations.result({ operation: first });
    const approval = (await raw.received(first)).find(({ name }) => name === 'approve') as Received;
    expect(approval.payloads).toHaveLength(1);
    const { payloads, id } = approval;
    const second = await submit(engine, { infra: INFRA, definition: definition(3), approve: ['before-change'] });
    await untilStatus(engine, second, 'waiting');
    for (const updateId of [undefined, id]) expect(await raw.update(second, 'approve', payloads, updateId)).toBe(REFUSAL_TYPE);
    expect((await client.operations.progress({ operation: second })).status).toBe('waiting');
    // A recorded message of the same operation works only for its sealed purpose, and only once.
    await client.operations.pause({ operation: second });
    await client.operations.resume({ operation: second });
    const pause = (await raw.received(second)).find(({ name }) => name === 'pause') as Received;
    expect(await raw.update(second, 'pause', pause.payloads)).toBe(REFUSAL_TYPE);
    expect(await raw.update(second, 'stop', pause.payloads, pause.id)).toBe(undefined);
    expect((await client.operations.progress({ operation: second })).status).toBe('waiting');
    await client.operations.approve({ operation: second, approved: false });
    await client.operations.result({ operation: second });
  });

  test('signals that were recorded change no lock and no inventory', async () => {
    await apply();
    const raw = rawTemporal(engine);
    const client = await engine.client();
    const operation = await waiting();
    const [before, locks] = [await inventory(), await client.infras.locks({ workspace: 'default', infra: INFRA })];
    const recorded = (await raw.received(ENTITY)).filter(({ kind }) => kind === 'signal');
    expect(new Set(recorded.map(({ name }) => name))).toEqual(new Set(['acquire', 'changed', 'release']));
    for (const { name, payloads } of recorded) {
      for (const other of new Set([name, 'release', 'forgotten'])) await raw.signal(ENTITY, other, payloads);
    }
    expect(await inventory()).toEqual(before);
    expect(await client.infras.locks({ workspace: 'default', infra: INFRA })).toEqual(locks);
    await client.operations.approve({ operation, approved: false });
    await client.operations.result({ operation });
  });

  test('an operation that has ended is not begun again with its recorded input', async () => {
    const raw = rawTemporal(engine);
    const operation = await submit(engine, { infra: INFRA, definition: definition(2) });
    await (await engine.client()).operations.result({ operation });
    await apply({ allowDestroy: true });
    const before = await effects();
    const runId = await raw.start('cluster', operation, await raw.startedWith(operation));
    const error = await engine.temporal.workflow
      .getHandle(operation, runId)
      .result()
      .catch((thrown) => thrown);
    expect(JSON.stringify(error.cause)).toContain('was received before');
    expect(await effects()).toBe(before);
    expect(Object.keys((await inventory())?.servers ?? {})).toEqual(['web-1']);
    await apply({ allowDestroy: true });
  });
});
