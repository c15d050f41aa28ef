import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StoreMoveResult } from '../../core/engine/store-move.js';
import { replayFeed } from '../../core/infra/feed.js';
import { resolveEnvironment } from '../../settings/settings.js';
import { openStores } from '../../stores/open-stores.js';
import { type Outcome, provisioning } from '../support/command-line.js';
import { demoDefinition } from '../support/definition.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { runWell, submit } from '../support/operations.js';
import { findPostgres, startPostgres, type TestDatabase, type TestPostgres } from '../support/postgres.js';

const postgresHere = findPostgres() !== undefined;
if (!postgresHere) console.warn('skipped: PostgreSQL is not installed, so a move to it is not tested');

describe.skipIf(!postgresHere)('the store of a platform that works moves', { timeout: 600_000 }, () => {
  let postgres: TestPostgres;
  let database: TestDatabase;
  let engine: TestEngine;
  beforeAll(async () => {
    postgres = await startPostgres();
    database = await postgres.database('moved');
    engine = await startTestEngine({ PGPASSWORD: database.password });
  });
  afterAll(async () => {
    await engine?.stop();
    await postgres?.stop();
  });

  const definition = (infra: string, count: number) =>
    demoDefinition(infra, { servers: [{ name: 'web', count }], taskservs: ['redis'] });

  /** Opens the stores at the place in the settings of the home. */
  const inUse = async () => openStores(engine.home, await resolveEnvironment(engine.home, engine.env));

  async function expectWhole(infra: string): Promise<string | undefined> {
    const stores = await inUse();
    const scope = { workspace: 'default', infra };
    try {
      const [feed] = await stores.feeds.read(scope);
      expect(feed && replayFeed(scope, feed).inventory).toEqual(await (await engine.client()).infras.inventory(scope));
      return stores.shared?.name;
    } finally {
      await stores.close();
    }
  }

  /** Moves the store while operations run, and reads the arguments of all processes during the move. */
  async function moved(to: string): Promise<Outcome> {
    const running = await Promise.all(
      [1, 2, 3].map((count) => submit(engine, { infra: `busy-${count}`, definition: definition(`busy-${count}`, count) })),
    );
    let isOver = false;
    const ended = provisioning(engine, ['store', 'migrate', '--to', to, '--yes', '--json']).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      expect(argumentsNow()).not.toContain(database.password);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const outcome = await ended;
    expect([outcome.code, outcome.stderr]).toEqual([0, outcome.stderr]);
    expect(`${outcome.stdout}${outcome.stderr}`).not.toContain(database.password);
    for (const operation of running) {
      const result = await (await engine.client()).operations.result({ operation });
      expect([result.status, result.error]).toEqual(['done', undefined]);
    }
    return outcome;
  }

  test('to PostgreSQL and back, and every operation that ran meanwhile is done', async () => {
    await runWell(engine, { infra: 'shop', definition: definition('shop', 1) });
    const gone = JSON.parse((await moved(database.urlWithoutPassword)).stdout) as StoreMoveResult;
    expect(gone).toMatchObject({ from: 'files of the home', already: false, worker: 'restarted' });
    for (const infra of ['shop', 'busy-1', 'busy-2', 'busy-3']) expect(await expectWhole(infra)).toBe(gone.to);
    await runWell(engine, { infra: 'shop', definition: definition('shop', 2) });
    expect(await expectWhole('shop')).toBe(gone.to);
    const back = JSON.parse((await moved('files')).stdout) as StoreMoveResult;
    expect(back).toMatchObject({ to: 'files of the home', worker: 'restarted' });
    for (const { kind, source, target } of back.kinds) expect([kind, source]).toEqual([kind, target]);
    for (const infra of ['shop', 'busy-1', 'busy-2', 'busy-3']) expect(await expectWhole(infra)).toBeUndefined();
    expect((await runWell(engine, { infra: 'shop', definition: definition('shop', 2) })).steps).toMatchObject({ planned: 0 });
  });
});

/** Returns the arguments of all processes on this machine. */
const argumentsNow = (): string =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    })
    .join('\n');
