import { beforeEach, describe, expect, test } from 'vitest';
import { exitCodeOfBatch } from '../../core/exit-codes.js';
import { addressOf } from '../../core/infra/definition-log.js';
import { emptyInventory } from '../../core/infra/inventory.js';
import { infraWorkflowId } from '../../core/names.js';
import { type BatchState, batchOperationId } from '../../core/operation/batch.js';
import { countMarks } from '../../core/operation/batch-rows.js';
import { batchOf, farm, recordOf, server, submitBatch, untilMark } from '../support/batches.js';
import { provisioning } from '../support/command-line.js';
import { demoDefinition } from '../support/definition.js';
import { type DemoAccount, serversIn } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { endAll, eventually, run, runWell, submit, untilStatus } from '../support/operations.js';

describe('the definition of an infra', { timeout: 120_000 }, () => {
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

  const bare = (infra: string, names: string[]) => demoDefinition(infra, { servers: names.map((name) => ({ name })) });
  const apply = (infra: string, names: string[], more = {}) => ({ infra, definition: bare(infra, names), ...more });
  /** Returns the servers of the last applied definition. */
  const defined = async (infra: string) =>
    (await (await client()).infras.inventory({ workspace: 'default', infra }))?.definition?.servers.map(({ name }) => name);
  const recorded = async (infra: string) =>
    Object.keys((await (await client()).infras.inventory({ workspace: 'default', infra }))?.servers ?? {}).sort();
  const applied = async (infra: string) => (await client()).infras.definitions({ workspace: 'default', infra });
  /** Blocks the creation of this server until the returned function is called. */
  const hold = async (name: string) => {
    await account.behave({ failures: [{ verb: 'servers.create', name, times: 100_000, error: 'weather' }] });
    return () => account.behave({});
  };
  const waiters = async (infra: string, count: number) =>
    eventually(async () =>
      expect((await (await client()).infras.locks({ workspace: 'default', infra })).waiters).toHaveLength(count),
    );
  const ended = async (batch: string): Promise<BatchState> => (await client()).batches.result({ batch });
  /** A batch that creates these servers of an infra. Its definition may name more servers. */
  const making = (infra: string, defines: string[], makes = defines, more = {}) =>
    batchOf(infra, { operations: makes.map((name) => server(name)), ...more }, { 'farm.json': farm(infra, defines) });

  test('of two batches at once is that of each: the older one is superseded, and neither is rolled back', async () => {
    const release = await hold('a');
    const older = await submitBatch(engine, await making('two', ['a', 'b', 'c'], ['a', 'b', 'c'], { parallel: 1 }));
    await untilMark(engine, older, 'a', 'running');
    const newer = await submitBatch(engine, await making('two', ['a', 'x'], ['a', 'x'], { parallel: 1 }));
    await untilMark(engine, newer, 'a', 'asking');
    await eventually(async () => {
      const { waiters: waiting } = await (await client()).infras.locks({ workspace: 'default', infra: 'two' });
      expect(waiting.map(({ operation }) => operation)).toContain(batchOperationId(newer, 0));
    });
    await release();
    const [first, second] = await Promise.all([ended(older), ended(newer)]);
    expect([first.status, second.status]).toEqual(['done', 'done']);
    expect(countMarks(first.marks)).toEqual({ done: 1, superseded: 2 });
    expect(countMarks(second.marks)).toEqual({ done: 2 });
    expect(await defined('two')).toEqual(['a', 'x']);
    expect(await recorded('two')).toEqual(['a', 'x']);
    expect(serversIn(await account.read(), 'two').sort()).toEqual(['a', 'x']);
    const [b] = Object.entries(await recordOf(engine, older)).filter(([name]) => name === 'b');
    expect(b?.[1]).toMatch(/^superseded: superseded by batch-two-\S+, which was submitted later/);
    expect(exitCodeOfBatch(first)).toBe(0);
    expect((await applied('two')).map(({ inForce, by }) => [inForce, by.length])).toEqual([
      [true, 2],
      [false, 1],
    ]);
  });

  test('of an apply in between supersedes the rest of a batch, which keeps what it did', async () => {
    const release = await hold('a');
    const batch = await submitBatch(engine, await making('between', ['a', 'b'], ['a', 'b'], { parallel: 1 }));
    await untilMark(engine, batch, 'a', 'running');
    const between = await submit(engine, apply('between', ['a', 'z'], { intent: { verb: 'ensure' } }));
    await untilStatus(engine, between, 'queued');
    await release();
    const state = await ended(batch);
    expect((await (await client()).operations.result({ operation: between })).status).toBe('done');
    expect([state.status, countMarks(state.marks)]).toEqual(['done', { done: 1, superseded: 1 }]);
    expect(await defined('between')).toEqual(['a', 'z']);
    expect(await recorded('between')).toEqual(['a', 'z']);
    const member = await (await client()).operations.result({ operation: batchOperationId(batch, 1) });
    expect(member).toMatchObject({ status: 'superseded', supersededBy: { operation: between }, steps: { executed: 0 } });
  });

  test('that came later supersedes a whole batch, which says so by its exit code', async () => {
    const release = await hold('a');
    const holder = await submit(engine, apply('whole', ['a']));
    await untilStatus(engine, holder, 'running');
    const all = { name: 'all', kind: 'cluster' as const, do: 'apply' as const, file: 'farm.json', priority: 5 as const };
    const plan = await batchOf('whole', { operations: [all] }, { 'farm.json': farm('whole', ['b']) });
    const batch = await submitBatch(engine, plan);
    await waiters('whole', 1);
    await submit(engine, apply('whole', ['a', 'c'], { priority: 1 }));
    await waiters('whole', 2);
    await release();
    const state = await ended(batch);
    expect([state.status, exitCodeOfBatch(state), countMarks(state.marks)]).toEqual(['superseded', 6, { superseded: 1 }]);
    expect(await defined('whole')).toEqual(['a', 'c']);
    expect((await (await client()).batches.list({ workspace: 'default' })).find((row) => row.batch === batch)?.status).toBe(
      'superseded',
    );
  });

  test("of a batch that is canceled while it waits is nobody's: a prune afterwards wants to delete nothing", async () => {
    const { operation: first } = await runWell(engine, apply('waits', ['a', 'b']));
    const release = await hold('c');
    const holder = await submit(engine, apply('waits', ['a', 'b', 'c']));
    await untilStatus(engine, holder, 'running');
    const batch = await submitBatch(engine, await making('waits', ['only'], ['only']));
    await untilMark(engine, batch, 'only', 'asking');
    expect((await applied('waits')).filter(({ operation }) => operation.startsWith('batch-'))).toEqual([]);
    await (await client()).batches.cancel({ batch });
    expect((await ended(batch)).status).toBe('canceled');
    await release();
    await (await client()).operations.result({ operation: holder });
    expect((await applied('waits')).map(({ operation, inForce }) => [operation, inForce])).toEqual([
      [holder, true],
      [first, false],
    ]);
    expect(await defined('waits')).toEqual(['a', 'b', 'c']);
    const pruned = await runWell(engine, { infra: 'waits', intent: { verb: 'ensure', prune: true }, check: true });
    expect(pruned.plan).toEqual([]);
  });

  test('comes back when a batch is rolled back, and stays while one of its operations stands', async () => {
    await runWell(engine, apply('back', ['a']));
    const batch = await submitBatch(engine, await making('back', ['a', 'b', 'c'], ['b', 'c']));
    expect((await ended(batch)).status).toBe('done');
    expect(await defined('back')).toEqual(['a', 'b', 'c']);
    const one = await run(engine, {
      infra: 'back',
      kind: 'server',
      intent: { verb: 'rollback', of: batchOperationId(batch, 1) },
      allowDestroy: true,
    });
    expect([one.status, one.notes]).toEqual(['done', [{ on: 'back', text: expect.stringContaining(batchOperationId(batch, 0)) }]]);
    expect(await defined('back')).toEqual(['a', 'b', 'c']);
    const { batch: undo } = await (await client()).batches.rollback({ batch, as: `${batch}-undo` });
    expect((await ended(undo)).status).toBe('done');
    expect(await defined('back')).toEqual(['a']);
    expect(await recorded('back')).toEqual(['a']);
  });

  test('of a later operation stays where an older one is rolled back, which says so', async () => {
    await runWell(engine, apply('older', ['a']));
    const middle = await runWell(engine, apply('older', ['a', 'b']));
    const newest = await runWell(engine, apply('older', ['a', 'b', 'c']));
    const rollback = { infra: 'older', intent: { verb: 'rollback' as const, of: middle.operation }, allowDestroy: true };
    expect((await run(engine, { ...rollback, check: true })).plan.at(-1)?.title).toBe(
      `Leave the definition to ${newest.operation}`,
    );
    const back = await runWell(engine, rollback);
    expect(back.notes?.map(({ text }) => text)).toEqual([
      `the last applied definition stays: ${newest.operation} applied it, not only ${middle.operation}`,
    ]);
    expect(await defined('older')).toEqual(['a', 'b', 'c']);
    // The roll-back skips the middle definition, which does not return.
    await runWell(engine, { ...rollback, intent: { verb: 'rollback', of: newest.operation } });
    expect(await defined('older')).toEqual(['a']);
    const rows = await applied('older');
    expect(rows.map(({ hash, inForce, undone }) => [hash, inForce, undone !== undefined])).toEqual([
      [addressOf(bare('older', ['a', 'b', 'c'])), false, true],
      [addressOf(bare('older', ['a', 'b'])), false, true],
      [addressOf(bare('older', ['a'])), true, false],
    ]);
    const asked = (await (await client()).operations.list({ infra: 'older' })).find((row) => row.operation === newest.operation);
    expect(rows.map(({ actor }) => actor)).toEqual(Array(3).fill(asked?.actor));
  });

  test('its history, and what waiting operations are to apply, goes on in the next run of the entity', async () => {
    const scope = { workspace: 'default', infra: 'runs' };
    const networks = { runs: { name: 'runs', provider: 'demo', id: 'x', since: 'test' } };
    const inventory = { ...emptyInventory({ ...scope, uuid: 'b5a1c0de-0000-4000-8000-000000000002' }), networks };
    const { workflowId, firstExecutionRunId } = await engine.temporal.workflow.start('infra', {
      workflowId: infraWorkflowId(scope.workspace, scope.infra),
      taskQueue: engine.taskQueue,
      args: [{ ...scope, continueAfter: 12, state: { inventory } }],
    });
    const release = await hold('a');
    const holder = await submit(engine, apply('runs', ['a']));
    await untilStatus(engine, holder, 'running');
    const batch = await submitBatch(engine, await making('runs', ['a', 'b'], ['b']));
    await untilMark(engine, batch, 'b', 'asking');
    const entity = engine.temporal.workflow.getHandle(workflowId);
    for (let turn = 0; turn < 12; turn++) {
      if ((await entity.describe()).runId !== firstExecutionRunId) break;
      await run(engine, apply('runs', ['a'], { check: true }));
    }
    expect((await entity.describe()).runId).not.toBe(firstExecutionRunId);
    await release();
    expect((await ended(batch)).status).toBe('done');
    expect(await defined('runs')).toEqual(['a', 'b']);
    expect((await applied('runs')).map(({ operation }) => operation)).toEqual([batchOperationId(batch, 0), holder]);
    await entity.terminate('by a test');
  });

  test('is listed, compared and applied again by its number or content address', async () => {
    for (const names of [['a'], ['a', 'b'], ['a', 'b', 'c']]) await runWell(engine, apply('past', names));
    const asked = async (...args: string[]) => {
      const { code, stdout } = await provisioning(engine, ['infra', ...args, '--json']);
      return { code, answer: JSON.parse(stdout) };
    };
    const { definitions } = (await asked('history', 'past')).answer;
    expect(definitions.map(({ number, inForce }: { number: number; inForce: boolean }) => [number, inForce])).toEqual([
      [1, true],
      [2, false],
      [3, false],
    ]);

    const { lines } = (await asked('diff', 'past')).answer;
    expect(lines.filter((line: string) => /^[-+] *- name: /.test(line))).toEqual(['+  - name: c']);
    expect((await asked('diff', 'past', '--from', '1', '--to', definitions[0].hash.slice(0, 12))).answer.lines).toEqual([]);

    const back = await asked('rollback', 'past', '--to', definitions[2].hash, '--yes', '--allow-destroy');
    expect([back.code, back.answer.status]).toEqual([0, 'done']);
    expect([await defined('past'), await recorded('past')]).toEqual([['a'], ['a']]);
    expect((await applied('past'))[0]).toMatchObject({ hash: definitions[2].hash, inForce: true });

    const refused = async (...args: string[]) => {
      const { code, answer } = await asked(...args);
      return [code, answer.error.code];
    };
    expect(await refused('rollback', 'past', '--to', '9', '--yes')).toEqual([2, 'unknown-definition']);
    expect(await refused('rollback', 'past', '--yes')).toEqual([2, 'bad-arguments']);
    expect(await refused('history', 'nowhere')).toEqual([2, 'unknown-infra']);
    await runWell(engine, { infra: 'past', intent: { verb: 'delete' }, allowDestroy: true });
  });
});
