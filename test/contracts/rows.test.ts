import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createSealer } from '../../stores/files/sealer.js';
import { openStores } from '../../stores/open-stores.js';
import { openSharedRows } from '../../stores/rows/open-rows.js';
import { declared, events, members, openDeclared } from '../support/declared-rows.js';
import { storeHomes } from './store/homes.js';
import { failure, inPostgres, postgresHere, withClient } from './store/in-postgres.js';
import { rowsContract } from './store/rows.js';
import { sortedRowsContract } from './store/sorted-rows.js';

const homes = await storeHomes();
afterAll(homes.remove);

const row = { tenant: 'w', name: 'mine', count: 4_711 };

describe('rows in a home', () => {
  rowsContract(async (name) => ({ home: await homes.named(name) }));
  sortedRowsContract(async (name) => openDeclared(await homes.named(name), undefined));

  test('lie in files that only the owner can read, in a folder that only the owner can enter', async () => {
    const home = await homes.named('private');
    const mask = process.umask(0);
    try {
      const stores = await openStores(home, {});
      await stores.rows();
      const modes = ['', 'rows.db', 'rows.db-wal', 'rows.db-shm'].map(async (name) => (await stat(join(home.rows, name))).mode);
      expect((await Promise.all(modes)).map((mode) => mode & 0o777)).toEqual([0o700, 0o600, 0o600, 0o600]);
      await stores.close();
    } finally {
      process.umask(mask);
    }
  });

  test('are made by nobody who does not ask for them', async () => {
    const home = await homes.named('unasked');
    await (await openStores(home, {})).close();
    expect(await stat(home.rows).catch(({ code }) => code)).toBe('ENOENT');
  });
});

describe.skipIf(!postgresHere)('rows in PostgreSQL', async () => {
  const home = await homes.named('team');
  const there = inPostgres(home);
  rowsContract(async (name) => ({ home, url: (await there.postgres.database(`rows_${name}`)).url }));
  sortedRowsContract(async (name) => openDeclared(home, (await there.postgres.database(`rows_${name}`)).url));

  test('of a log appear in the order of their numbers, even if who appends first commits last', async () => {
    const { url } = await there.postgres.database('rows_order');
    const { rows, close } = await openDeclared(home, url, declared);
    const log = (await rows()).log(events);
    const ids = async () => (await log.list()).rows.map(({ row }) => row.id);
    await withClient(url, async (client) => {
      const query = async (_: string, text: string, values: readonly unknown[] = []) =>
        (await client.query(text, [...values])).rows as never[];
      const slow = await openSharedRows({ name: url, query }, createSealer(home, {}), declared).rows();
      await client.query('begin');
      await slow.log(events).append([{ id: 'first', writer: 'slow', text: '' }]);
      const second = log.append([{ id: 'second', writer: 'quick', text: '' }]);
      // Many times the duration of an append that does not wait.
      for (let look = 0; look < 20; look++) {
        expect(await ids()).toEqual([]);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await client.query('commit');
      await second;
    });
    expect(await ids()).toEqual(['first', 'second']);
    await close();
  });

  test('cannot be read or moved to another key by who can write to the database', async () => {
    const { url } = await there.postgres.database('rows_sealed');
    const { rows, close } = await openDeclared(home, url, declared);
    const table = (await rows()).table(members);
    await table.put(row);
    await withClient(url, async (client) => {
      const { rows: found } = await client.query('select content from provisioning.test_members');
      expect(found[0].content.includes('4711')).toBe(false);
      await client.query("update provisioning.test_members set name = 'other'");
    });
    expect((await failure(table.get({ tenant: 'w', name: 'other' }))).details).toMatchObject({ code: 'sealed-altered' });
    await withClient(url, (client) => client.query("update provisioning.test_members set name = 'mine', team = 'red'"));
    expect((await failure(table.list({ where: { team: 'red' } }))).details).toMatchObject({ code: 'sealed-altered' });
    await close();
  });
});
