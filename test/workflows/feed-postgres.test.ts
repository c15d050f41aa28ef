import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { replayFeed } from '../../core/infra/feed.js';
import type { LostReport } from '../../core/recovery/lost-infras.js';
import { openStores } from '../../stores/open-stores.js';
import { provisioning } from '../support/command-line.js';
import { demoDefinition } from '../support/definition.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { loseEngine } from '../support/lost-engine.js';
import { runWell, submit } from '../support/operations.js';
import { findPostgres, startPostgres, type TestPostgres } from '../support/postgres.js';

const postgresHere = findPostgres() !== undefined;
if (!postgresHere) console.warn('skipped: PostgreSQL is not installed, so feeds in it are not tested');

describe.skipIf(!postgresHere)('the feed of an infra in PostgreSQL', { timeout: 240_000 }, () => {
  let postgres: TestPostgres;
  let engine: TestEngine;
  beforeAll(async () => {
    postgres = await startPostgres();
    const { urlWithoutPassword, password } = await postgres.database('feeds');
    engine = await startTestEngine({ PROVISIONING_STORE: urlWithoutPassword, PGPASSWORD: password });
  });
  afterAll(async () => {
    await engine?.stop();
    await postgres?.stop();
  });

  const definition = (count: number) => demoDefinition('shop', { servers: [{ name: 'web', count }], taskservs: ['redis'] });
  const scope = { workspace: 'default', infra: 'shop' };
  async function expectWhole(): Promise<void> {
    const stores = await openStores(engine.home, engine.env);
    try {
      const [feed] = await stores.feeds.read(scope);
      const inventory = await (await engine.client()).infras.inventory(scope);
      expect(feed && replayFeed(scope, feed).inventory).toEqual(inventory);
    } finally {
      await stores.close();
    }
  }

  test('is whole at the end of each operation, also where the database is killed and comes back', async () => {
    await runWell(engine, { infra: 'shop', definition: definition(1) });
    await expectWhole();
    for (const [count, afterMs] of [
      [2, 150],
      [3, 400],
    ] as const) {
      const operation = await submit(engine, { infra: 'shop', definition: definition(count), onFailure: 'keep' });
      await sleep(afterMs);
      await postgres.kill();
      await sleep(1_500);
      await postgres.start();
      const result = await (await engine.client()).operations.result({ operation });
      expect([result.status, result.error]).toEqual(['done', undefined]);
      await expectWhole();
    }
  });

  test('brings the infra back', async () => {
    await runWell(engine, { infra: 'shop', definition: definition(3) });
    const before = await (await engine.client()).infras.inventory(scope);
    await loseEngine(engine);
    const { infras } = JSON.parse((await provisioning(engine, ['infra', 'recover', '--json'])).stdout) as LostReport;
    expect(infras).toMatchObject([{ infra: 'shop', feed: { servers: 3 }, labelled: { server: 3 } }]);
    expect((await provisioning(engine, ['status'])).stdout).toContain('shop: `provisioning infra recover`');
    expect((await provisioning(engine, ['infra', 'recover', 'shop', '--yes'])).code).toBe(0);
    expect(await (await engine.client()).infras.inventory(scope)).toEqual(before);
    expect((await runWell(engine, { infra: 'shop', definition: definition(3) })).steps).toEqual({ executed: 0, planned: 0 });
    await expectWhole();
  });
});
