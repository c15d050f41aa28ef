import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import type { Home } from '../../../home/home.js';
import type { LazyRows } from '../../../stores/rows/open-rows.js';
import type { Page, Rows } from '../../../stores/rows.js';
import { counters, declared, divided, events, former, members, openDeclared, recent } from '../../support/declared-rows.js';

interface Place {
  home: Home;
  /** Undefined for a home. */
  url?: string;
}

const WRITER = join(import.meta.dirname, '../../support/rows-writer.ts');

/**
 * Tests the guarantees of row collections in any store.
 *
 * @param fresh returns a place without rows at each call
 */
export function rowsContract(fresh: (name: string) => Promise<Place>): void {
  /** Opens a place as two workers do, and closes it after the work. */
  async function within<T>(place: Place, work: (one: Rows, two: Rows) => Promise<T>, what = declared): Promise<T> {
    const opened: LazyRows[] = await Promise.all([1, 2].map(() => openDeclared(place.home, place.url, what)));
    try {
      const [one, two] = await Promise.all(opened.map(({ rows }) => rows()));
      return await work(one as Rows, two as Rows);
    } finally {
      await Promise.all(opened.map(({ close }) => close()));
    }
  }

  test('a row that was put is there for the other, replaced, listed by its column, and gone once deleted', async () => {
    await within(await fresh('put'), async (one, two) => {
      const [ours, theirs] = [one.table(members), two.table(members)];
      const ann = { tenant: 't', name: 'ann', team: 'red', count: 1 };
      const revision = await ours.put(ann);
      expect(await theirs.get({ tenant: 't', name: 'ann' })).toEqual({ row: ann, revision });
      expect(await theirs.get({ tenant: 'ann', name: 't' })).toBeUndefined();
      const replaced = await theirs.put({ tenant: 't', name: 'ann', count: 2 });
      expect(replaced).not.toBe(revision);
      expect(await ours.get({ tenant: 't', name: 'ann' })).toEqual({
        row: { tenant: 't', name: 'ann', count: 2 },
        revision: replaced,
      });
      await ours.put({ ...ann, name: 'bob' });
      expect((await theirs.list({ where: { team: 'red' } })).rows.map(({ row }) => row.name)).toEqual(['bob']);
      await expect(theirs.list({ where: { count: '1' } })).rejects.toThrow(/no index/);
      expect(await theirs.delete({ tenant: 't', name: 'ann' }, revision)).toBe(false);
      expect(await theirs.delete({ tenant: 't', name: 'ann' }, replaced)).toBe(true);
      expect(await ours.delete({ tenant: 't', name: 'ann' })).toBe(false);
      expect((await ours.list()).rows).toHaveLength(1);
    });
  });

  test('of those who change a row that all have read, one does', async () => {
    await within(await fresh('set'), async (one, two) => {
      const tables = [one.table(members), two.table(members)] as const;
      const row = { tenant: 't', name: 'raced', count: 0 };
      let expected: string | undefined;
      for (let round = 1; round <= 5; round++) {
        const asked = Array.from({ length: 6 }, (_, index) =>
          tables[index % 2 ? 0 : 1].compareAndSet({ ...row, count: round * 10 + index }, expected),
        );
        const won = (await Promise.all(asked)).filter((revision) => revision !== undefined);
        expect(won).toHaveLength(1);
        [expected] = won;
        expect((await tables[0].get(row))?.revision).toBe(expected);
      }
      await tables[0].delete(row);
      expect(await tables[1].compareAndSet(row, expected)).toBeUndefined();
    });
  });

  test('a list misses nothing and repeats nothing while others insert and delete', async () => {
    await within(await fresh('pages'), async (one, two) => {
      const [ours, theirs] = [one.table(counters), two.table(counters)];
      const names = Array.from({ length: 23 }, (_, index) => `m${String(index).padStart(2, '0')}`);
      // Ordered by bytes, in every database: capitals first, characters beyond ASCII last.
      for (const name of [...names, 'Z', 'é']) await ours.put({ tenant: 't', name, count: 0 });
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page: Page = { limit: 5, ...(after && { after }) };
        const { rows, next } = await theirs.list(page);
        seen.push(...rows.map(({ row }) => row.name));
        await ours.put({ tenant: 's', name: `before-${seen.length}`, count: 0 });
        await ours.put({ tenant: 't', name: `${seen.at(-1)}-next`, count: 0 });
        await ours.delete({ tenant: 't', name: seen[0] ?? '' });
        after = next;
      } while (after !== undefined);
      expect(seen.filter((name) => !name.includes('-'))).toEqual(['Z', ...names, 'é']);
      expect(new Set(seen).size).toBe(seen.length);
      await expect(theirs.list({ after: 'what' })).rejects.toMatchObject({ details: { code: 'bad-request' } });
    });
  });

  test('a log has what both appended at once, in one order, and an append that is repeated once', async () => {
    await within(await fresh('log'), async (one, two) => {
      const logs = [one.log(events), two.log(events)] as const;
      const row = (id: string) => ({ id, writer: id.slice(0, 1), text: '' });
      const asked = Array.from({ length: 60 }, (_, index) => logs[index % 2 ? 0 : 1].append([row(`${index % 2}-${index}`)]));
      const read: number[] = [];
      let after: string | undefined;
      // A concurrent reader: rows that appear later have higher numbers.
      const follow = async () => {
        const { rows, next } = await logs[0].list({ limit: 1_000 });
        expect(rows.map(({ sequence }) => sequence).slice(0, read.length)).toEqual(read);
        read.splice(0, read.length, ...rows.map(({ sequence }) => sequence));
        after = next;
      };
      for (let round = 0; round < 10; round++) await follow();
      await Promise.all(asked);
      await logs[1].append([row('0-0'), row('1-1')]);
      await follow();
      expect([read.length, after]).toEqual([60, undefined]);
      expect(read).toEqual([...read].sort((a, b) => a - b));
      const { rows } = await logs[1].list({ where: { writer: '1' }, limit: 1_000 });
      // Each appended its own rows in the order of its requests.
      expect(rows.map(({ row }) => Number(row.id.slice(2)))).toEqual(Array.from({ length: 30 }, (_, index) => 2 * index + 1));
      await expect(logs[0].append([{ id: 1 } as never])).rejects.toMatchObject({ details: { code: 'store-failed' } });
    });
  });

  test('a log keeps its newest rows', async () => {
    const place = await fresh('recent');
    const row = (id: number) => ({ id: String(id), writer: 'w', text: '' });
    await within(place, (one) => one.log(recent).append(Array.from({ length: 30 }, (_, id) => row(id))));
    await within(place, async (one) => {
      await one.log(recent).append([row(30)]);
      expect((await one.log(recent).list()).rows.map(({ row }) => Number(row.id))).toEqual(
        Array.from({ length: 10 }, (_, index) => 21 + index),
      );
    });
  });

  test('a log keeps rows that are counted apart by themselves: a flood of them deletes no others', async () => {
    const place = await fresh('divided');
    const rowsOf = (writer: string, from: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({ id: `${writer}-${from + index}`, writer, text: '' }));
    await within(place, (one) => one.log(divided).append([...rowsOf('quiet', 0, 4), ...rowsOf('loud', 0, 300)]));
    const listed = async (one: Rows) => (await one.log(divided).list({ limit: 1_000 })).rows.map(({ row }) => row.id);
    const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
    await within(place, async (one) => {
      await one.log(divided).append(rowsOf('quiet', 4, 1));
      expect(await listed(one)).toEqual(idsOf([...rowsOf('quiet', 0, 4), ...rowsOf('loud', 295, 5), ...rowsOf('quiet', 4, 1)]));
    });
    await within(place, async (one) => {
      await one.log(divided).append(rowsOf('quiet', 5, 20));
      expect(await listed(one)).toEqual(idsOf([...rowsOf('loud', 295, 5), ...rowsOf('quiet', 15, 10)]));
    });
  });

  test('tables come to be in an empty place, and from those of an older version, with its rows; a newer version is refused', async () => {
    const place = await fresh('versions');
    const kept = { tenant: 't', name: 'kept', count: 7 };
    await within(place, (one) => one.table(members).put(kept), former);
    await within(place, async (one, two) => {
      expect((await one.table(members).get(kept))?.row).toEqual(kept);
      await two.log(events).append([{ id: 'a', writer: 'w', text: '' }]);
    });
    await within(place, async (one) => expect((await one.log(events).list()).rows).toHaveLength(1));
    await expect(within(place, async () => {}, former)).rejects.toMatchObject({ details: { code: 'store-newer', blame: 'user' } });
  });

  test('pages of another store are kept as they were, twice if need be; what is none is refused', async () => {
    const read = async (rows: Rows) => {
      const found: string[] = [];
      for await (const { name, bytes } of rows.read()) found.push(`${name.join(' ')} ${bytes.toString('utf8')}`);
      return found;
    };
    const [from, to] = [await fresh('from'), await fresh('to')];
    await within(from, async (source) => {
      for (const name of ['ann', 'bob']) await source.table(members).put({ tenant: 't', name, count: 1 });
      const rows = Array.from({ length: 1_100 }, (_, id) => ({ id: String(id), writer: 'w', text: '' }));
      await source.log(events).append(rows);
      await within(to, async (target) => {
        for (let time = 1; time <= 2; time++) for await (const { name, bytes } of source.read()) await target.write(name, bytes);
        expect(await read(target)).toEqual(await read(source));
        const bad: [string, string][] = [
          ['unknown', '[]'],
          ['test_members', '[{"row":{"tenant":"t"},"revision":"r"}]'],
          ['test_events', '{}'],
        ];
        for (const [name, text] of bad)
          await expect(target.write([name, '1'], Buffer.from(text))).rejects.toMatchObject({ details: { code: 'bad-record' } });
        // The log continues after the imported numbers.
        await target.log(events).append([{ id: 'next', writer: 'last', text: '' }]);
        const { rows: last } = await target.log(events).list({ where: { writer: 'last' } });
        expect(last.map(({ sequence }) => sequence)).toEqual([1_101]);
      });
    });
  });

  const writing = ({ home, url }: Place, writer: string, count: number) => {
    const args = ['--import', 'tsx', WRITER, home.root, url ?? 'files', writer, String(count)];
    return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  };
  const idsIn = (place: Place) =>
    within(place, async (one) => (await one.log(events).list({ limit: 1_000 })).rows.map(({ row }) => row.id));
  const countIn = (place: Place) =>
    within(place, async (one) => (await one.table(counters).get({ tenant: 't', name: 'shared' }))?.row.count);

  test('two processes that write at once lose nothing', async () => {
    const place = await fresh('two');
    const ended = ['a', 'b'].map(async (writer) => {
      const child = writing(place, writer, 40);
      child.stdout.resume();
      return (await once(child, 'exit'))[0];
    });
    expect(await Promise.all(ended)).toEqual([0, 0]);
    const expected = ['a', 'b'].flatMap((writer) => Array.from({ length: 40 }, (_, at) => `${writer}-${at}`));
    expect((await idsIn(place)).sort()).toEqual(expected.sort());
    expect(await countIn(place)).toBe(80);
  });

  test('what was acknowledged outlives kill -9', async () => {
    const place = await fresh('killed');
    const acknowledged: string[] = [];
    for (const [round, most] of [3, 8, 17].entries()) {
      const child = writing(place, `r${round}`, 1_000_000);
      const ended = once(child, 'exit');
      let count = 0;
      for await (const line of createInterface(child.stdout)) {
        acknowledged.push(line);
        if (++count === most) child.kill('SIGKILL');
      }
      expect(await ended).toEqual([null, 'SIGKILL']);
      expect(await idsIn(place)).toEqual(expect.arrayContaining(acknowledged));
      expect(await countIn(place)).toBeGreaterThanOrEqual(acknowledged.length);
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(3 + 8 + 17);
  });
}
