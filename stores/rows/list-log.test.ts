import { expect, test } from 'vitest';
import type { RowLog } from '../rows.js';
import { listLog } from './list-log.js';
import { limitOf } from './page.js';

interface Row {
  name: string;
  kind: 'a' | 'b';
}

/** Creates a log whose rows have these numbers. It counts its queries. */
function logOf(sequences: readonly number[]) {
  const kept = sequences.map((sequence) => ({ row: { name: `r${sequence}`, kind: sequence % 2 ? 'a' : 'b' } as Row, sequence }));
  const asked = { queries: 0, rows: 0 };
  const list: RowLog<Row>['list'] = async ({ after, where, ...page } = {}) => {
    const last = after === undefined ? 0 : Number(JSON.parse(Buffer.from(after, 'base64url').toString())[0]);
    const all = kept.filter(({ row, sequence }) => sequence > last && (where?.kind === undefined || where.kind === row.kind));
    const rows = all.slice(0, limitOf(page));
    asked.queries++;
    asked.rows += rows.length;
    const next = Buffer.from(JSON.stringify([String(rows.at(-1)?.sequence)])).toString('base64url');
    return { rows, ...(all.length > rows.length && { next }) };
  };
  return { list, asked, append: (sequence: number) => kept.push({ row: { name: `r${sequence}`, kind: 'a' }, sequence }) };
}

async function pagesOf(log: ReturnType<typeof logOf>, query: Omit<Parameters<typeof listLog<Row>>[1], 'after'>) {
  const pages: string[][] = [];
  for (let after: number | undefined; ; ) {
    const { rows, next } = await listLog(log, { ...query, after });
    pages.push(rows.map(({ name }) => name));
    if (next === undefined) return pages;
    after = next;
  }
}

const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, index) => from + index);

test.each([
  ['no rows', []],
  ['one row', [1]],
  ['numbers that begin late and have gaps', [70_001, 70_002, 70_900, 75_000, 200_000, 200_001]],
  ['more rows than one query has', upTo(2_345, 900)],
])('%s are listed once each, newest first and oldest first', async (_, sequences) => {
  const names = sequences.map((sequence) => `r${sequence}`);
  for (const limit of [1, 7, 1_000].filter((one) => sequences.length / one < 500)) {
    expect((await pagesOf(logOf(sequences), { order: 'newest', limit })).flat()).toEqual([...names].reverse());
    expect((await pagesOf(logOf(sequences), { order: 'oldest', limit })).flat()).toEqual(names);
  }
});

test('pages are as long as asked, and the last one has no cursor', async () => {
  const pages = await pagesOf(logOf(upTo(6)), { order: 'newest', limit: 3 });
  expect(pages).toEqual([
    ['r6', 'r5', 'r4'],
    ['r3', 'r2', 'r1'],
  ]);
  expect(await listLog(logOf(upTo(6)), { order: 'newest', limit: 0 })).toEqual({ rows: [] });
});

test('rows are chosen by a column and by what they have', async () => {
  const asked = { order: 'newest', limit: 2, where: { kind: 'b' }, matches: ({ name }: Row) => name !== 'r6' } as const;
  expect(await pagesOf(logOf(upTo(9)), asked)).toEqual([['r8', 'r4'], ['r2']]);
});

test('rows that come between two pages are on neither', async () => {
  const log = logOf(upTo(4));
  const { next } = await listLog(log, { order: 'newest', limit: 2 });
  log.append(5);
  expect(await listLog(log, { order: 'newest', limit: 2, after: next })).toEqual({
    rows: [
      { name: 'r2', kind: 'b' },
      { name: 'r1', kind: 'a' },
    ],
  });
});

test('the newest rows of a long log are found without reading the log', async () => {
  const log = logOf(upTo(100_000));
  const { rows } = await listLog(log, { order: 'newest', limit: 50 });
  expect(rows.map(({ name }) => name)).toEqual(
    upTo(50, 99_951)
      .map((one) => `r${one}`)
      .reverse(),
  );
  expect(log.asked.queries).toBeLessThan(50);
  expect(log.asked.rows).toBeLessThan(400);
});

test('a gap of any length between rows is passed in a few queries', async () => {
  const log = logOf([...upTo(3), ...upTo(5, 50_000_000), ...upTo(2, 90_000_000)]);
  const { rows, next } = await listLog(log, { order: 'newest', limit: 50 });
  expect(rows.map(({ name }) => Number(name.slice(1)))).toEqual([
    ...[90_000_001, 90_000_000],
    ...upTo(5, 50_000_000).reverse(),
    ...[3, 2, 1],
  ]);
  expect(next).toBeUndefined();
  expect(log.asked.queries).toBeLessThan(200);
});

test('a page of rare rows reads a part of the log, and its cursor leads on', async () => {
  const log = logOf(upTo(30_000));
  const rare = { order: 'newest', limit: 5, matches: ({ name }: Row) => name === 'r1' } as const;
  const first = await listLog(log, rare);
  expect(first).toEqual({ rows: [], next: 20_001 });
  expect(log.asked.rows).toBeLessThan(20_000);
  expect((await pagesOf(log, rare)).flat()).toEqual(['r1']);
});

test('a row that ends the answer is the last one that is read', async () => {
  const log = logOf(upTo(30_000));
  const { rows, next } = await listLog(log, { order: 'newest', limit: 500, ends: ({ name }) => name === 'r29990' });
  expect([rows.at(-1)?.name, rows.length, next]).toEqual(['r29991', 10, undefined]);
  expect(log.asked.rows).toBeLessThan(400);
});
