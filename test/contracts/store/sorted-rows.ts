import { expect, test } from 'vitest';
import type { LazyRows } from '../../../stores/rows/open-rows.js';
import type { Rows, SortedPosition } from '../../../stores/rows.js';
import { members, visits } from '../../support/declared-rows.js';
import { fc } from '../../support/fast-check.js';

const visit = (id: string, at: string, more: { place?: string; guest?: string; note?: string } = {}) => ({
  id,
  place: 'inn',
  guest: 'ann',
  at,
  note: '',
  ...more,
});
type Visit = ReturnType<typeof visit>;

/**
 * Contract of a table's sorted lists, for any database.
 *
 * @param open opens a place without rows at each call
 */
export function sortedRowsContract(open: (name: string) => Promise<LazyRows>): void {
  async function within(name: string, work: (rows: Rows) => Promise<void>): Promise<void> {
    const { rows, close } = await open(name);
    try {
      await work(await rows());
    } finally {
      await close();
    }
  }

  test('a sorted list has the latest row first, by any of its columns, and counts them', async () => {
    await within('sorted', async (rows) => {
      const table = rows.table(visits);
      await table.putNewest([
        visit('a', '2026-03'),
        visit('b', '2026-01', { guest: 'bob' }),
        visit('c', '2026-02'),
        visit('d', '2026-02', { place: 'camp' }),
        visit('é', '2026-02'),
      ]);
      const list = async (where: Record<string, string>, more: { from?: string; below?: string } = {}) => {
        const { rows: found, more: goesOn } = await table.listNewest({ where, ...more });
        expect([goesOn, await table.countSorted({ where, ...more })]).toEqual([false, found.length]);
        return found.map(({ id }) => id).join('');
      };
      expect(await list({ place: 'inn' })).toBe('aécb');
      expect(await list({ place: 'inn', guest: 'ann' })).toBe('aéc');
      expect(await list({ place: 'inn', guest: "x' or '1'='1" })).toBe('');
      expect(await list({ place: 'inn' }, { from: '2026-02' })).toBe('aéc');
      expect(await list({ place: 'inn' }, { below: '2026-02' })).toBe('b');
      const unlisted: Record<string, string>[] = [
        {},
        { guest: 'ann' },
        { place: 'inn', note: '' },
        { place: 'inn', 'at" or 1 --': '' },
      ];
      for (const where of unlisted) await expect(table.listNewest({ where })).rejects.toThrow(/no sorted list/);
      await expect(rows.table(members).countSorted({ where: {} })).rejects.toThrow(/no sorted lists/);
    });
  });

  test('a row is replaced by a later one, and not by a former one', async () => {
    await within('newest', async (rows) => {
      const table = rows.table(visits);
      await table.putNewest([visit('a', '2026-02', { note: 'first' })]);
      await table.putNewest([visit('a', '2026-01', { note: 'former' }), visit('b', '2026-01')]);
      expect((await table.get({ id: 'a' }))?.row.note).toBe('first');
      await table.putNewest([visit('a', '2026-02', { note: 'corrected' })]);
      expect((await table.get({ id: 'a' }))?.row.note).toBe('corrected');
      await table.putNewest([visit('a', '2026-03', { note: 'one' }), visit('a', '2026-04', { note: 'two' })]);
      expect((await table.get({ id: 'a' }))?.row).toMatchObject({ note: 'two', at: '2026-04' });
      await table.putNewest([]);
      expect(await table.countSorted({ where: { place: 'inn' } })).toBe(2);
    });
  });

  test('many rows are written at once, deleted by their time, and read for another store', async () => {
    await within('many', async (rows) => {
      const table = rows.table(visits);
      await table.putNewest(Array.from({ length: 1_234 }, (_, index) => visit(`v${index}`, String(10_000 + index))));
      expect(await table.countSorted({ where: { place: 'inn' } })).toBe(1_234);
      expect((await table.listNewest({ where: { place: 'inn' } })).rows).toHaveLength(100);
      await table.deleteSorted({ where: { place: 'camp' }, below: '99999' });
      await table.deleteSorted({ where: { place: 'inn' }, below: '11200' });
      const pages: string[] = [];
      for await (const { name, bytes } of rows.read())
        if (name[0] === 'test_visits') pages.push(...(JSON.parse(bytes.toString()) as { row: Visit }[]).map(({ row }) => row.id));
      expect(pages.sort()).toEqual(Array.from({ length: 34 }, (_, index) => `v${1_200 + index}`).sort());
    });
  });

  test('pages of a sorted list miss no row and repeat none while others are inserted and replaced', async () => {
    await within('sorted_pages', async (rows) => {
      const table = rows.table(visits);
      const time = fc.integer({ min: 1, max: 40 }).map((at) => String(1_000 + at));
      let round = 0;
      const property = fc.asyncProperty(
        fc.array(time, { maxLength: 30 }),
        fc.array(fc.array(time, { maxLength: 3 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 7 }),
        async (times, inserts, limit) => {
          const place = `round-${round++}`;
          const there = times.map((at, index) => visit(`${place}/${index}`, at, { place }));
          await table.putNewest(there);
          const sorted = [...there].sort((a, b) => (`${a.at} ${a.id}` < `${b.at} ${b.id}` ? 1 : -1));
          const seen: string[] = [];
          for (let [after, page]: [SortedPosition | undefined, number] = [undefined, 0]; ; page++) {
            const { rows: found, more } = await table.listNewest({ where: { place }, after, limit });
            seen.push(...found.map(({ id }) => id));
            const last = found.at(-1);
            if (!more || !last) break;
            after = [last.at, last.id];
            const others = inserts[page % inserts.length] ?? [];
            await table.putNewest(others.map((at, index) => visit(`${place}/new-${page}-${index}`, at, { place })));
            await table.putNewest(there.slice(0, 2).map((row) => ({ ...row, note: `page ${page}` })));
          }
          expect(seen.filter((id) => !id.includes('new'))).toEqual(sorted.map(({ id }) => id));
          expect(new Set(seen).size).toBe(seen.length);
        },
      );
      await fc.assert(property, { numRuns: 10 });
    });
  });
}
