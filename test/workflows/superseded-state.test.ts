import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { infraWorkflowId } from '../../core/names.js';
import { inputOf } from '../support/batches.js';
import { demoDefinition } from '../support/definition.js';
import type { DemoAccount } from '../support/demo.js';
import { leavingNothing, withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { eventually, runWell } from '../support/operations.js';
import { withShortRuns } from '../support/short-runs.js';

/** A client with access to Temporal can start a recorded state of an entity again: it is sealed, under its own id. */
describe('a former state of an entity', () => {
  let engine: TestEngine;
  let account: DemoAccount;
  const id = infraWorkflowId('default', 'former');
  const definition = (count: number) => demoDefinition('former', { servers: [{ name: 'web', count }], taskservs: [] });
  withDemoEngine((...started) => {
    [engine, account] = started;
  });
  leavingNothing('former', () => ({ engine, account }));

  const startAs = (input: object) =>
    engine.temporal.workflow.start('infra', { workflowId: id, taskQueue: engine.taskQueue, args: [input] });
  const runOf = async () => (await engine.temporal.workflow.getHandle(id).describe()).runId;
  const sequenceIn = async () =>
    (await readdir(join(engine.home.sequences, 'default/former'))).filter((name) => /^\d+$/.test(name));

  /** Makes the entity continue in another run. Returns the input of that run. */
  async function anotherRun(count: number): Promise<object> {
    const before = await runOf();
    await runWell(engine, { infra: 'former', definition: definition(count), allowDestroy: true });
    await eventually(async () => expect(await runOf()).not.toBe(before));
    return inputOf<object>(engine, id);
  }

  /** Waits until the entity is at rest: its run has the latest number and stays the same for a second. */
  async function atRest(): Promise<void> {
    const seen = async () => JSON.stringify([await sequenceIn(), await runOf(), await inputOf(engine, id)]);
    await eventually(async () => {
      const before = await seen();
      await sleep(1_000);
      expect(await seen()).toBe(before);
    }, 120_000);
  }

  test('is refused, and so is the state of the present run; the entity that lives goes on, and a new one begins', async () => {
    await runWell(engine, { infra: 'former', definition: definition(1) });
    // Each operation has more events than a run of the entity.
    await withShortRuns(engine, 'former', 12);
    const first = await anotherRun(2);
    const second = await anotherRun(3);
    const now = await (await engine.client()).infras.inventory({ workspace: 'default', infra: 'former' });
    expect(Object.keys(now?.servers ?? {}).sort()).toEqual(['web-1', 'web-2', 'web-3']);
    await atRest();
    await engine.temporal.workflow.getHandle(id).terminate('to begin it with former states');
    const [kept] = await sequenceIn();
    expect(Number(kept)).toBeGreaterThan(2);
    for (const input of [first, second]) {
      const started = await startAs(input);
      const error = await started.result().catch((thrown) => thrown);
      expect(`${error.cause?.message} ${error.cause?.cause?.message}`).toMatch(
        /its state has number \d+, but number \d+ has already started/,
      );
    }
    expect(await sequenceIn()).toEqual([kept]);
    // An empty entity would be another infra.
    await (await engine.client()).infras.recover({ workspace: 'default', infra: 'former' });
    await account.clear();
    await runWell(engine, { infra: 'former', definition: definition(3) });
    const begun = await sequenceIn();
    expect(begun).toHaveLength(1);
    expect(Number(begun[0])).toBeGreaterThan(Number(kept));
  });

  test('an infra that ended begins again', async () => {
    for (let life = 1; life <= 3; life++) {
      await runWell(engine, { infra: 'former', definition: definition(1) });
      await runWell(engine, { infra: 'former', intent: { verb: 'delete' }, allowDestroy: true });
      await eventually(async () => expect(await (await engine.client()).infras.list({ workspace: 'default' })).toEqual([]));
    }
  });
});
