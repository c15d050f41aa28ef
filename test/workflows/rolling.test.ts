import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { UpdateSettings } from '../../core/operation/rolling.js';
import type { DemoEffect } from '../../providers/demo/store/state.js';
import { demoDefinition } from '../support/definition.js';
import { type DemoAccount, doubled } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { endAll, eventually, run, runWell, submit, untilStatus } from '../support/operations.js';

/** Duration of a step: long compared with the start of several concurrent steps. */
const STEP_MS = 500;
const TIMING = { heartbeatMs: 5_000, retryMs: 50, healthMs: 1_000 };

describe('changes of what serves already', () => {
  let engine: TestEngine;
  let account: DemoAccount;
  const client = () => engine.client();
  let infra = '';
  let count = 0;

  /** Defines redis on five servers with this memory. */
  const shop = (maxMemory: string, update?: UpdateSettings) =>
    demoDefinition(infra, {
      servers: [{ name: 'web', count: 5 }],
      taskservs: [{ name: 'redis', config: { maxMemory }, ...(update ? { update } : {}) }],
    });

  /**
   * Returns the steps since a moment by server, in the order of their ends. Each has the start of its first step and
   * the end of its last.
   */
  const touchedSince = async (from: number) => {
    const steps = (await account.read()).effects.slice(from).filter(({ verb }) => verb === 'host.step');
    const by = new Map<string, DemoEffect[]>();
    for (const step of steps) {
      const server = step.name.slice(0, step.name.indexOf('/'));
      by.set(server, [...(by.get(server) ?? []), step]);
    }
    return [...by].map(([server, own]) => ({
      server,
      first: Date.parse(own[0]?.at ?? '') - STEP_MS,
      last: Date.parse(own.at(-1)?.at ?? ''),
    }));
  };
  const now = async () => (await account.read()).effects.length;

  withDemoEngine((...started) => {
    [engine, account] = started;
  });

  async function deployed(): Promise<number> {
    await endAll(engine);
    await account.behave({});
    infra = `roll-${++count}`;
    await runWell(engine, { infra, definition: shop('64 MiB') });
    await account.behave({ latencyMs: { 'host.step': STEP_MS } });
    return now();
  }

  test('the first deployment comes all at once', async () => {
    infra = `first-${++count}`;
    await account.behave({ latencyMs: { 'host.step': STEP_MS } });
    const from = await now();
    await runWell(engine, { infra, definition: shop('64 MiB') });
    const touched = await touchedSince(from);
    expect(touched).toHaveLength(5);
    expect(Math.max(...touched.map(({ first }) => first))).toBeLessThan(Math.min(...touched.map(({ last }) => last)));
  });

  test.each([
    ['by default one of five at a time', undefined, [1, 1, 1, 1, 1]],
    ['two at a time', { batch: 2 }, [2, 2, 1]],
    ['60% are three', { batch: '60%' }, [3, 2]],
    ['waves of four, of which one may be out', { batch: 4, maxUnavailable: 1 }, [1, 1, 1, 1, 1]],
    ['all at once, where that is wanted', { strategy: 'all-at-once' }, [5]],
  ] as const)('a change goes in waves: %s', async (_, update, sizes) => {
    const from = await deployed();
    await runWell(engine, { infra, definition: shop('32 MiB', update) });
    const touched = await touchedSince(from);
    expect(touched.map(({ server }) => server).sort()).toEqual(['web-1', 'web-2', 'web-3', 'web-4', 'web-5']);
    expect(wavesOf(touched)).toEqual(sizes);
    expect((await runWell(engine, { infra, definition: shop('32 MiB', update) })).steps).toEqual({ executed: 0, planned: 0 });
  });

  test('what the request says goes before what the definition says', async () => {
    const from = await deployed();
    await runWell(engine, { infra, definition: shop('32 MiB', { batch: 1 }), update: { batch: 5, maxUnavailable: 5 } });
    expect(wavesOf(await touchedSince(from))).toEqual([5]);
  });

  test('a failure leaves the rest untouched, and what was changed is rolled back', async () => {
    const from = await deployed();
    await account.behave({ unhealthy: ['web-2/redis'], latencyMs: { 'host.step': STEP_MS } });
    const failed = await run(engine, { infra, definition: shop('32 MiB'), onFailure: 'rollback' });
    expect([failed.status, failed.error?.on, failed.left]).toEqual(['rolled-back', 'web-2/redis', []]);
    expect((await touchedSince(from)).map(({ server }) => server)).toEqual(['web-1', 'web-2']);
    await account.behave({});
    expect((await runWell(engine, { infra, definition: shop('64 MiB') })).steps).toEqual({ executed: 0, planned: 0 });
  });

  test('pause on failure: the rest waits for a person, for as long as it takes, and goes on after "retry"', async () => {
    const from = await deployed();
    await account.behave({ unhealthy: ['web-2/redis'], latencyMs: { 'host.step': STEP_MS } });
    const update = { batch: 1, pauseOnFailure: true };
    const operation = await submit(engine, { infra, definition: shop('32 MiB', update), onFailure: 'rollback' });
    const waiting = await untilStatus(engine, operation, 'waiting');
    expect(waiting.waiting).toMatch(/^Check the health failed on web-2\/redis/);
    // A restart of the worker during the wait starts no new work.
    await engine.killWorker();
    await engine.up();
    await sleep(1_000);
    expect((await touchedSince(from)).map(({ server }) => server)).toEqual(['web-1', 'web-2']);
    expect(waiting.cells.filter(({ state }) => state === 'pending').map(({ server, step }) => `${server}: ${step}`)).toEqual([
      'web-3: wave 3 of 5',
      'web-4: wave 4 of 5',
      'web-5: wave 5 of 5',
    ]);
    await account.behave({});
    await (await client()).operations.decide({ operation, decision: 'retry' });
    const result = await (await client()).operations.result({ operation });
    expect([result.status, result.error]).toEqual(['done', undefined]);
    expect((await touchedSince(from)).map(({ server }) => server)).toEqual(['web-1', 'web-2', 'web-3', 'web-4', 'web-5']);
    expect(doubled(await account.read())).toEqual([]);
  });

  test('pause on failure: after "skip" the others go on', async () => {
    const from = await deployed();
    await account.behave({ unhealthy: ['web-2/redis'], latencyMs: { 'host.step': STEP_MS } });
    const update = { batch: 1, pauseOnFailure: true };
    const operation = await submit(engine, { infra, definition: shop('32 MiB', update), onFailure: 'rollback' });
    await untilStatus(engine, operation, 'waiting');
    await (await client()).operations.decide({ operation, decision: 'skip' });
    expect((await (await client()).operations.result({ operation })).status).toBe('done');
    expect(await touchedSince(from)).toHaveLength(5);
  });

  describe('machines', () => {
    /** Defines redis on four servers with a plan and an image. */
    const machines = (plan: string, image: string, update?: UpdateSettings) =>
      demoDefinition(infra, {
        servers: [{ name: 'web', count: 4, plan, image, ...(update ? { update } : {}) }],
        taskservs: ['redis'],
      });

    async function made(): Promise<number> {
      await endAll(engine);
      await account.behave({});
      infra = `roll-${++count}`;
      await runWell(engine, { infra, definition: machines('small', 'debian-12') });
      return now();
    }

    /** Returns the actions on machines and hosts since a moment, in order, without repetitions. */
    const storySince = async (from: number) =>
      (await account.read()).effects
        .slice(from)
        .map(({ verb, name }) => (verb.startsWith('host.') ? `${name.slice(0, name.indexOf('/'))} served` : `${name} ${verb}`))
        .filter((line, index, all) => line !== all[index - 1]);

    test.each(['cluster', 'server'] as const)(
      'are replaced one after the other, each serving again before the next (%s)',
      async (kind) => {
        const from = await made();
        const definition = machines('small', 'debian-13', { batch: 1 });
        const wish = { infra, kind, intent: { verb: 'ensure' as const }, definition, allowDestroy: true };
        const preview = await runWell(engine, { ...wish, check: true });
        const done = await runWell(engine, wish);
        expect(await storySince(from)).toEqual(
          ['web-1', 'web-2', 'web-3', 'web-4'].flatMap((name) => [
            `${name} servers.delete`,
            `${name} servers.create`,
            `${name} served`,
          ]),
        );
        expect(done.plan.map(({ title }) => title)).toEqual(preview.plan.map(({ title }) => title));
        expect(done.steps.executed).toBe(done.plan.length);
        expect(done.services.map(({ server, healthy }) => `${server} ${healthy}`)).toEqual(
          [1, 2, 3, 4].map((n) => `web-${n} true`),
        );
        expect((await runWell(engine, wish)).steps.executed).toBe(0);
      },
    );

    test('get another plan in waves; a failure leaves the rest as it was', async () => {
      const from = await made();
      await account.behave({ unhealthy: ['web-3/redis'] });
      const definition = machines('medium', 'debian-12', { batch: 2 });
      const wish = { infra, kind: 'server' as const, intent: { verb: 'ensure' as const }, definition };
      const failed = await run(engine, { ...wish, definition: machines('medium', 'debian-12', { batch: 1 }), onFailure: 'keep' });
      expect([failed.status, failed.error?.on]).toEqual(['failed', 'web-3/redis']);
      expect(await storySince(from)).toEqual(['web-1 servers.update', 'web-2 servers.update', 'web-3 servers.update']);
      await account.behave({});
      await runWell(engine, wish);
      expect((await storySince(from)).at(-1)).toBe('web-4 servers.update');
      expect(doubled(await account.read())).toEqual([]);
    });
  });

  test('kill -9 of the worker in the middle: still one after the other, every step once', async () => {
    const from = await deployed();
    await account.behave({ latencyMs: { 'host.step': STEP_MS } });
    const operation = await submit(engine, { infra, definition: shop('32 MiB'), timing: TIMING });
    await eventually(async () => expect(await touchedSince(from)).toHaveLength(2));
    await engine.killWorker();
    await engine.up();
    const result = await (await client()).operations.result({ operation });
    expect([result.status, result.error]).toEqual(['done', undefined]);
    const touched = await touchedSince(from);
    expect(wavesOf(touched)).toEqual([1, 1, 1, 1, 1]);
    expect(doubled(await account.read())).toEqual([]);
  });
});

/** Returns the sizes of waves: the number of servers between two moments without work. */
function wavesOf(touched: { first: number; last: number }[]): number[] {
  const sizes: number[] = [];
  let until = 0;
  for (const { first, last } of [...touched].sort((a, b) => a.first - b.first)) {
    if (first > until) sizes.push(0);
    sizes.push((sizes.pop() ?? 0) + 1);
    until = Math.max(until, last);
  }
  return sizes;
}
