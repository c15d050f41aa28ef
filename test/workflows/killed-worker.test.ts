import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { countEffects } from '../../providers/demo/store/account.js';
import { demoDefinition } from '../support/definition.js';
import { contentOf, type DemoAccount, doubled, NOTHING } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { endAll, eventually, submit } from '../support/operations.js';
import { seededRandom } from '../support/random.js';

const SEED = Number(process.env.TEST_SEED ?? 1);
/** `LONG=1` has ten of them. */
const ROUNDS = process.env.LONG ? 10 : 4;

/** Heartbeats are given every 2 s; a worker is taken for dead a little later. */
const TIMING = { heartbeatMs: 5_000, retryMs: 50, healthMs: 1_000 };

describe(`a worker killed at ${ROUNDS} random moments (TEST_SEED=${SEED})`, { timeout: 120_000 }, () => {
  let engine: TestEngine;
  let account: DemoAccount;
  const random = seededRandom(SEED);
  const names = (round: number) => [`shop-${round}`, `forum-${round}`, `mail-${round}`];
  const definition = (infra: string) =>
    demoDefinition(infra, { servers: [{ name: 'web', count: 2 }], taskservs: ['nginx', 'redis'] });

  withDemoEngine((...started) => {
    [engine, account] = started;
  });

  for (let round = 1; round <= ROUNDS; round++) {
    // Three stages at a time, so that one kill hits different moments of the same work.
    test(`round ${round}: every effect once, every operation ends, no lock is left`, async () => {
      await endAll(engine);
      await account.behave({ latencyMs: { '*': 40, 'host.step': 120, boot: 200 } });
      const operations: string[] = [];
      for (const infra of names(round)) {
        operations.push(await submit(engine, { infra, definition: definition(infra), timing: TIMING, onFailure: 'rollback' }));
        await sleep(400 * random());
      }
      await sleep(2_500 * random());
      await engine.killWorker();
      await engine.up();
      const client = await engine.client();
      for (const operation of operations) {
        const result = await client.operations.result({ operation });
        expect([operation, result.status, result.error]).toEqual([operation, 'done', undefined]);
        expect(result.services.map(({ healthy }) => healthy)).toEqual([true, true, true, true]);
        expect(result.steps.executed).toBe(result.plan.length);
      }
      const state = await account.read();
      expect(doubled(state)).toEqual([]);
      for (const infra of names(round)) {
        expect(await client.infras.locks({ workspace: 'default', infra })).toEqual({ holders: [], waiters: [] });
        expect(Object.keys(state.servers).filter((id) => id.startsWith(`default/${infra}/`))).toHaveLength(2);
      }
      const key = (operation: string, server: string) => `${operation}/server/${server}/1`;
      for (const operation of operations)
        expect(countEffects(state, { verb: 'servers.create', key: key(operation, 'web-1') })).toBe(1);
    });
  }

  test('killed while it rolls back: nothing is left', async () => {
    const before = contentOf(await account.read());
    await account.behave({
      unhealthy: ['redis'],
      latencyMs: { '*': 40, 'host.step': 100, 'servers.delete': 800, 'networks.delete': 400 },
    });
    const operation = await submit(engine, {
      infra: 'blog',
      definition: definition('blog'),
      timing: TIMING,
      onFailure: 'rollback',
    });
    await eventually(async () => expect((await account.read()).servers['default/blog/web-2']?.services.redis).toBeDefined());
    await sleep(600 + 1_500 * random());
    await engine.killWorker();
    await engine.up();
    const result = await (await engine.client()).operations.result({ operation });
    expect([result.status, result.left]).toEqual(['rolled-back', []]);
    expect(contentOf(await account.read())).toEqual(before);
    expect(doubled(await account.read())).toEqual([]);
    expect(before).not.toEqual(NOTHING);
  });
});
