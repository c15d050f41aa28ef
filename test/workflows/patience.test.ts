import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { exitCodeOf } from '../../core/exit-codes.js';
import type { OperationResult } from '../../core/operation/operation.js';
import { status } from '../../workers/engine/status.js';
import { demoDefinition } from '../support/definition.js';
import { contentOf, type DemoAccount, doubled, NOTHING, serversIn } from '../support/demo.js';
import { leavingNothing, withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { eventually, run, runWell, submit, untilStatus } from '../support/operations.js';

/** Total time of all attempts: two seconds. */
const PATIENCE_MS = 2_000;
const timing = { giveUpMs: PATIENCE_MS, retryMs: 100, heartbeatMs: 2_000, healthMs: 1_000 };

describe('the time that something is tried', () => {
  let engine: TestEngine;
  let account: DemoAccount;
  const client = () => engine.client();
  const shop = (count = 2) => demoDefinition('shop', { servers: [{ name: 'web', count }], taskservs: ['nginx'] });
  const busy = (verb: string, times: number, name?: string) =>
    account.behave({ failures: [{ verb, times, error: 'weather', ...(name && { name }) }] });
  const untilMade = () => eventually(async () => expect(serversIn(await account.read(), 'shop')).not.toEqual([]));

  withDemoEngine((...started) => {
    [engine, account] = started;
  });
  leavingNothing('shop', () => ({ engine, account }));

  /** On a busy machine two seconds may be too short for the other server, too. Then that one is retried. */
  const untilAskedAbout = (operation: string, on: string) =>
    eventually(async () => {
      const progress = await untilStatus(engine, operation, 'waiting');
      if (progress.error?.on !== on) await (await client()).operations.decide({ operation, decision: 'retry' });
      expect(progress.error?.on).toBe(on);
      return progress;
    }, 120_000);

  /** Waits for the end of an operation. Answers each question with a retry, as above. */
  async function resultOf(operation: string): Promise<OperationResult> {
    const { operations } = await client();
    return eventually(async () => {
      const { status } = await operations.progress({ operation });
      if (status === 'waiting') await operations.decide({ operation, decision: 'retry' });
      expect(['queued', 'running', 'waiting']).not.toContain(status);
      return operations.result({ operation });
    }, 120_000);
  }

  test('does not go on while no worker is there: nothing is rolled back', async () => {
    await account.behave({ latencyMs: { 'host.step': 400, boot: 400 } });
    const operation = await submit(engine, {
      infra: 'shop',
      definition: shop(),
      timing,
      onFailure: 'rollback',
      onTimeout: 'rollback',
    });
    await untilMade();
    await engine.killWorker();
    await sleep(3 * PATIENCE_MS);
    await eventually(async () => {
      const { withoutWorker } = await status(engine.home, { env: engine.env });
      expect(withoutWorker?.map((one) => one.operation)).toEqual([operation]);
    });
    await engine.up();
    const result = await (await client()).operations.result({ operation });
    expect([result.status, result.error]).toEqual(['done', undefined]);
    expect(doubled(await account.read())).toEqual([]);
  });

  test('goes on from attempt to attempt, also over the death of a worker; then a person is asked, and the lock is kept', async () => {
    await busy('servers.create', 1_000, 'web-2');
    const operation = await submit(engine, { infra: 'shop', definition: shop(), timing, onFailure: 'rollback' });
    await untilMade();
    await engine.killWorker();
    await engine.up();
    const progress = await untilAskedAbout(operation, 'web-2');
    expect(progress.error).toMatchObject({ on: 'web-2', outOfPatience: true, exitCode: 3 });
    expect(progress.error?.why).toMatch(/\d+ attempts in \d+ s/);
    expect(exitCodeOf(progress)).toBe(4);
    // Temporal's lists are updated a moment later.
    await eventually(async () => {
      const { asking } = await status(engine.home, { env: engine.env });
      expect(asking).toEqual([{ operation, infra: 'shop', question: 'decision' }]);
    });
    const { holders } = await (await client()).infras.locks({ workspace: 'default', infra: 'shop' });
    expect(holders.map((one) => one.operation)).toEqual([operation]);
    await account.behave({});
    await (await client()).operations.decide({ operation, decision: 'retry' });
    expect((await resultOf(operation)).status).toBe('done');
  });

  test('is asked for no more than said: keep, and rollback', async () => {
    await busy('servers.create', 1_000, 'web-2');
    const kept = await run(engine, { infra: 'shop', definition: shop(), timing, onTimeout: 'keep' });
    expect([kept.status, exitCodeOf(kept)]).toEqual(['failed', 3]);
    expect(serversIn(await account.read(), 'shop')).toEqual(['web-1']);
    const back = await run(engine, { infra: 'shop', definition: shop(), timing, onTimeout: 'rollback' });
    expect(back.status).toBe('rolled-back');
  });

  test('where nothing was done yet it fails, and holds nothing', async () => {
    await busy('servers.read', 1_000);
    const failed = await run(engine, { infra: 'shop', definition: shop(), timing });
    expect([failed.status, failed.error?.outOfPatience, exitCodeOf(failed)]).toEqual(['failed', true, 3]);
    expect(contentOf(await account.read())).toEqual(NOTHING);
  });

  test('of a rollback: it asks as well; retry goes on, and skip names what is left', async () => {
    await account.behave({ unhealthy: ['nginx'], failures: [{ verb: 'servers.delete', times: 1_000, error: 'weather' }] });
    const operation = await submit(engine, { infra: 'shop', definition: shop(), timing, onFailure: 'rollback' });
    const first = await untilStatus(engine, operation, 'waiting');
    expect(first.waiting).toMatch(/^cannot roll back server web-\d: .*Retry, skip or keep\?$/);
    const back = (await client()).operations.decide({ operation, decision: 'rollback' });
    await expect(back).rejects.toMatchObject({ details: { code: 'not-waiting' } });
    await (await client()).operations.decide({ operation, decision: 'skip' });
    await eventually(async () => {
      const progress = await (await client()).operations.progress({ operation });
      expect(progress.waiting).toMatch(/^cannot roll back server web-/);
      expect(progress.waiting).not.toBe(first.waiting);
    });
    await account.behave({});
    await (await client()).operations.decide({ operation, decision: 'retry' });
    const result = await resultOf(operation);
    expect(result.status).toBe('rolled-back');
    expect(result.left).toEqual([expect.stringMatching(/^server web-\d \(/), expect.stringMatching(/^network shop \(/)]);
    await runWell(engine, { infra: 'shop', intent: { verb: 'rollback', of: operation }, allowDestroy: true });
  });
});
