import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { batchOf, farm, server, submitBatch } from '../support/batches.js';
import { demoDefinition } from '../support/definition.js';
import { type DemoAccount, doubled, serversIn } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { endAll, eventually, submit } from '../support/operations.js';

/** Longer than the SDK tries its calls again by itself (ten seconds). */
const AWAY_MS = 11_000;
const MEMBERS = 60;
const INFRAS = 6;

describe("Temporal's server is away, and its worker is not", { timeout: 240_000 }, () => {
  let engine: TestEngine;
  let account: DemoAccount;

  withDemoEngine((...started) => {
    [engine, account] = started;
  });

  async function outage(): Promise<void> {
    await engine.killServer();
    await sleep(AWAY_MS);
    await engine.up();
  }

  test('a batch loses none of its operations', async () => {
    await account.behave({ latencyMs: { '*': 60, boot: 100 } });
    const names = Array.from({ length: MEMBERS / INFRAS }, (_, index) => `s${index}`);
    const farms = Array.from({ length: INFRAS }, (_, index) => `farm${index}`);
    const plan = await batchOf(
      'outage',
      {
        parallel: 20,
        operations: farms.flatMap((infra) =>
          names.map((name) => server(`${infra}-${name}`, { file: `${infra}.json`, servers: [name] })),
        ),
      },
      Object.fromEntries(farms.map((infra) => [`${infra}.json`, farm(infra, names)])),
    );
    const batch = await submitBatch(engine, plan);
    await eventually(async () => expect(Object.keys((await account.read()).servers).length).toBeGreaterThan(5));
    await outage();
    const result = await (await engine.client()).batches.result({ batch });
    expect([result.status, result.why]).toEqual(['done', {}]);
    const state = await account.read();
    expect(Object.keys(state.servers)).toHaveLength(MEMBERS);
    expect(doubled(state)).toEqual([]);
    await endAll(engine);
  });

  test('operations of many infras all end well', async () => {
    await account.clear();
    await account.behave({ latencyMs: { '*': 60, 'host.step': 200, boot: 300 } });
    const infras = Array.from({ length: 12 }, (_, index) => `shop-${index}`);
    const operations: string[] = [];
    for (const infra of infras)
      operations.push(
        await submit(engine, {
          infra,
          definition: demoDefinition(infra, { servers: [{ name: 'web', count: 2 }], taskservs: ['nginx'] }),
          timing: { retryMs: 100, heartbeatMs: 5_000 },
        }),
      );
    await sleep(1_500);
    await outage();
    const client = await engine.client();
    for (const operation of operations) {
      const { status, error } = await client.operations.result({ operation });
      expect([operation, status, error]).toEqual([operation, 'done', undefined]);
    }
    const state = await account.read();
    for (const infra of infras) expect(serversIn(state, infra)).toHaveLength(2);
    expect(doubled(state)).toEqual([]);
  });
});
