import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { countEffects } from '../../providers/demo/store/account.js';
import { provisioning, type StartedCommand, startCommand } from '../support/command-line.js';
import { demoDefinition } from '../support/definition.js';
import { contentOf, type DemoAccount, doubled, NOTHING } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { endAll, eventually, submit } from '../support/operations.js';
import { seededRandom } from '../support/random.js';

const SEED = Number(process.env.TEST_SEED ?? 1);
/** `LONG=1` has ten rounds. */
const ROUNDS = process.env.LONG ? 10 : 4;

/** Heartbeats are sent every 2 s. A worker counts as dead a little later. */
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
    // Three infras at a time, so that one kill hits different moments of the same work.
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

  /**
   * Starts `apply` of an infra that takes a few seconds, like a person or a job. Returns when the operation has
   * started.
   */
  async function applied(infra: string): Promise<{ command: StartedCommand; operation: string }> {
    await account.behave({ latencyMs: { '*': 60, 'host.step': 400, boot: 400 } });
    const file = join(engine.home.root, `${infra}.json`);
    const servers = [{ name: 'web', count: 2 }];
    await writeFile(file, JSON.stringify({ infra, provider: 'demo', servers, taskservs: ['nginx', 'redis'] }));
    const command = startCommand(engine, ['apply', file, '--yes']);
    return { command, operation: await command.id() };
  }

  test.each([
    ['killed, and started again', () => engine.killWorker()],
    ['ended, as `up` replaces one of another build', async () => void (await engine.termWorker())],
  ])('a command follows to the end while the worker is %s', async (how, end) => {
    const { command, operation } = await applied(how.startsWith('killed') ? 'kept' : 'replaced');
    await sleep(500);
    await end();
    await sleep(1_500);
    await engine.up();
    const { code, stdout, stderr } = await command.ended;
    expect([code, stdout]).toEqual([0, expect.stringContaining('done:')]);
    expect(stderr).toContain(`operation ${operation}\n`);
    expect((await (await engine.client()).operations.result({ operation })).status).toBe('done');
  });

  test('the operation of a command that is killed goes on, and is followed by the id that it printed', async () => {
    const { command, operation } = await applied('alone');
    command.kill();
    await command.ended;
    const followed = await provisioning(engine, ['workflow', 'follow', operation]);
    expect([followed.code, followed.stdout]).toEqual([0, expect.stringContaining('done:')]);
  });
});
