import { expect, test } from 'vitest';
import type { StoreRecord, StoreRecords } from '../records.js';
import { compareStores, countDifferences } from './compare-stores.js';
import { copyRound } from './copy-round.js';

const key = Buffer.from('key');
const PAGE = 2;

/** A store of rows with numbers, in pages as stores read them. */
function rowStore(numbers: number[]) {
  const rows = new Set(numbers);
  const kept = (bytes: Buffer) => JSON.parse(bytes.toString()) as number[];
  const records = {
    async *read(kind: string) {
      const sorted = kind === 'rows' ? [...rows].sort((a, b) => a - b) : [];
      for (let at = 0; at < sorted.length; at += PAGE)
        yield { kind, name: ['c', String(at / PAGE + 1)], bytes: Buffer.from(JSON.stringify(sorted.slice(at, at + PAGE))) };
    },
    async *addresses() {},
    async write({ bytes }: StoreRecord) {
      for (const one of kept(bytes)) rows.add(one);
    },
    async remove({ bytes }: StoreRecord) {
      for (const one of kept(bytes)) rows.delete(one);
    },
  } as unknown as StoreRecords;
  return { rows, records };
}

const LISTS = [
  [[1, 2, 3, 4, 5], []],
  [
    [2, 3, 4, 5],
    [1, 2, 3, 4, 5],
  ],
  [
    [0, 1, 2, 3],
    [1, 2, 3],
  ],
  [
    [1, 5],
    [1, 2, 3, 4, 5],
  ],
  [[], [1, 2, 3]],
  [
    [1, 2, 3],
    [1, 2, 3],
  ],
] as const;

test.each(LISTS)('rows %j come in place of %j, whatever pages they are on', async (source, former) => {
  const [from, to] = [rowStore([...source]), rowStore([...former])];
  const round = { source: from.records, target: to.records, key, reading: 'names' as const, onRecord: () => {} };
  await copyRound(round);
  expect([...to.rows].sort((a, b) => a - b)).toEqual([...source]);
  expect(await copyRound(round)).toBe(0);
  expect(countDifferences(await compareStores(from.records, to.records, key, 'names'))).toBe(0);
});

test('a comparison names what is missing, changed and additional', async () => {
  const [from, to] = [rowStore([1, 2, 3]), rowStore([1, 9])];
  const compared = await compareStores(from.records, to.records, key, 'contents');
  expect(compared.find(({ kind }) => kind === 'rows')).toMatchObject({
    missing: 1,
    changed: 1,
    additional: 0,
    names: ['c/2', 'c/1'],
    source: { records: 2 },
    target: { records: 1 },
  });
  const other = await compareStores(from.records, to.records, Buffer.from('other key'), 'contents');
  const digestIn = (all: typeof compared) => all.find(({ kind }) => kind === 'rows')?.source.digest;
  expect(digestIn(other)).not.toBe(digestIn(compared));
});
