import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type AuditFixture,
  createAuditRecord,
  keepEnds,
  type NumberedRow,
  openAuditFixture,
  selectChain,
} from './audit-fixture.js';
import { createAuditWriter } from './audit-writer.js';
import { formatId, hashAfter, readWriter } from './chain.js';
import type { Head } from './heads.js';
import { dropExpired } from './retention.js';
import { verifyChains } from './verify-chains.js';

const COUNT = 1_000;
const DAY_MS = 86_400_000;

let fixture: AuditFixture;
let log: AuditFixture['log'];
let all: AuditFixture['all'];
let replace: AuditFixture['replace'];

beforeEach(async () => {
  fixture = await openAuditFixture();
  ({ log, all, replace } = fixture);
});
afterEach(() => fixture.close());

/** Two writers with chains of two classes each, and the ends of their chains. */
async function fill(count = COUNT): Promise<Map<string, Head>> {
  const heads = new Map<string, Head>();
  const writers = [1, 2].map(() =>
    createAuditWriter(
      async () => log,
      (ends) => keepEnds(heads, ends),
    ),
  );
  for (let from = 0; from < count; from += 250) {
    const numbers = Array.from({ length: Math.min(250, count - from) }, (_, at) => from + at);
    for (const [at, writer] of writers.entries()) {
      const own = numbers.filter((number) => number % 2 === at);
      await writer.append(own.map((number) => createAuditRecord(number % 4 < 2 ? 'changes' : 'access', number)));
    }
  }
  return heads;
}

const found = async (heads: ReadonlyMap<string, Head>) =>
  (await verifyChains(log, heads)).problems.map(({ fault, chain, sequence, through }) => [fault, chain, sequence, through]);

test('a chain is one number after the other without a gap, and each hash follows from the bytes and the hash before', async () => {
  const heads = await fill();
  const kept = await all();
  expect(kept).toHaveLength(COUNT);
  for (const chain of heads.keys()) {
    const own = selectChain(kept, chain);
    expect(own.map(({ row }) => row.id)).toEqual(own.map((_, at) => formatId(chain, at + 1)));
    for (const [at, { row }] of own.entries()) {
      if (at > 0) expect(row.previous).toBe(own[at - 1]?.row.hash);
      expect(row.hash).toBe(hashAfter(row.previous, row.text));
    }
  }
  expect(await verifyChains(log, heads)).toMatchObject({ records: COUNT, chains: 4, withoutHead: 0, problems: [] });
  expect(await verifyChains(log, new Map())).toMatchObject({ withoutHead: 4, problems: [] });
});

test('what is appended at one time is one commit, at most 500 records, and each waits for its own', async () => {
  const commits: number[] = [];
  const writer = createAuditWriter(async () => ({
    async appendNow(given) {
      commits.push(given.length);
      await log.appendNow(given);
    },
  }));
  await Promise.all(Array.from({ length: 700 }, (_, number) => writer.append([createAuditRecord('changes', number)])));
  expect(commits).toEqual([500, 200]);
  expect((await verifyChains(log, new Map())).records).toBe(700);
});

test('after a write that failed, records go into new chains, whether it was written or not', async () => {
  let fails = false;
  const writer = createAuditWriter(async () => ({
    async appendNow(given) {
      await log.appendNow(given);
      if (fails) throw new Error('the connection was lost');
    },
  }));
  await writer.append([createAuditRecord('changes', 1)]);
  fails = true;
  await expect(writer.append([createAuditRecord('changes', 2)])).rejects.toThrow('lost');
  fails = false;
  await writer.append([createAuditRecord('changes', 3)]);
  const kept = await all();
  expect(kept.map(({ row }) => row.call)).toEqual(['call-1', 'call-2', 'call-3']);
  expect(new Set(kept.map(({ row }) => readWriter(row.chain))).size).toBe(2);
  expect((await verifyChains(log, new Map())).problems).toEqual([]);
});

test('a record that is too large is refused by itself', async () => {
  const writer = createAuditWriter(async () => log);
  const large = createAuditRecord('changes', 1);
  large.entry.resource = 'x'.repeat(16 * 1024);
  const both = [writer.append([large]), writer.append([createAuditRecord('changes', 2)])];
  expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(await all()).toHaveLength(1);
});

/** The attacker has the keys of the home, and corrects the hash of one record. */
describe('tampering is found with its writer and its number:', () => {
  let heads: Map<string, Head>;
  let kept: NumberedRow[];
  let chain: string;
  let own: typeof kept;
  beforeEach(async () => {
    heads = await fill();
    kept = await all();
    chain = [...heads.keys()][0] ?? '';
    own = selectChain(kept, chain);
  });
  const at = (number: number) => own[number - 1] as NumberedRow;

  test('a changed record', async () => {
    const { row, sequence } = at(100);
    const text = row.text.replace('op-', 'xx-');
    await replace([at(100)], [{ row: { ...row, text }, sequence }]);
    expect(await found(heads)).toEqual([['changed', chain, 100, 100]]);
  });

  test('a changed record with a hash of its own, which the next one does not follow', async () => {
    const { row, sequence } = at(100);
    const text = row.text.replace('op-', 'xx-');
    await replace([at(100)], [{ row: { ...row, text, hash: hashAfter(row.previous, text) }, sequence }]);
    expect(await found(heads)).toEqual([['changed', chain, 101, 101]]);
  });

  test('a changed record, and all after it made again: the end is another than the one on file', async () => {
    const made: typeof own = [];
    for (const { row, sequence } of own.slice(99)) {
      const previous = made.at(-1)?.row.hash ?? row.previous;
      const text = row.text.replace('op-', 'xx-');
      made.push({ row: { ...row, text, previous, hash: hashAfter(previous, text) }, sequence });
    }
    await replace(own.slice(99), made);
    expect(await found(heads)).toEqual([['changed', chain, own.length, own.length]]);
    expect(await found(new Map())).toEqual([]);
  });

  test('a value in another column than in the record', async () => {
    const { row, sequence } = at(7);
    await replace([at(7)], [{ row: { ...row, outcome: 'done' }, sequence }]);
    expect(await found(heads)).toEqual([['changed', chain, 7, 7]]);
  });

  test('removed records', async () => {
    await replace([at(50), at(51), at(200)], []);
    expect(await found(heads)).toEqual(
      expect.arrayContaining([
        ['removed', chain, 50, 51],
        ['removed', chain, 200, 200],
      ]),
    );
  });

  test('a beginning that is missing, without a record that its time was over', async () => {
    await replace(own.slice(0, 10), []);
    expect(await found(heads)).toEqual([['removed', chain, 1, 10]]);
  });

  test('two records that have changed places', async () => {
    const [one, two] = [at(20), at(30)];
    await replace(
      [one, two],
      [
        { row: one.row, sequence: two.sequence },
        { row: two.row, sequence: one.sequence },
      ],
    );
    expect((await found(heads)).filter(([fault]) => fault === 'reordered').length).toBeGreaterThan(0);
  });

  test('two records with the numbers of each other', async () => {
    const [one, two] = [at(20), at(30)];
    const as = ({ row: { id } }: typeof one, { row, sequence }: typeof one) => ({ row: { ...row, id }, sequence });
    await replace(
      [one, two],
      [
        { ...as(one, two), sequence: one.sequence },
        { ...as(two, one), sequence: two.sequence },
      ],
    );
    expect(await found(heads)).toEqual(
      expect.arrayContaining([
        ['reordered', chain, 20, 20],
        ['reordered', chain, 30, 30],
      ]),
    );
  });

  test('a cut end', async () => {
    await replace(own.slice(-5), []);
    expect(await found(heads)).toEqual([['cut', chain, own.length - 4, own.length]]);
    expect(await found(new Map())).toEqual([]);
  });

  test('a writer that is gone with all its chains, and a chain that is gone alone', async () => {
    await replace(own, []);
    expect(await found(heads)).toEqual([['cut', chain, 1, own.length]]);
    const writer = readWriter(chain);
    const rest = kept.filter(({ row }) => readWriter(row.chain) === writer && row.chain !== chain);
    await replace(rest, []);
    expect((await found(heads)).map(([fault]) => fault)).toEqual(['writer-removed', 'writer-removed']);
  });

  test('chains that have changed names', async () => {
    const other = [...heads.keys()].find((one) => readWriter(one) !== readWriter(chain) && one.endsWith('changes')) ?? '';
    const others = selectChain(kept, other);
    const moved = (from: typeof own, to: string) =>
      from.map(({ row, sequence }, index) => ({ row: { ...row, chain: to, id: formatId(to, index + 1) }, sequence }));
    await replace([...own, ...others], [...moved(own, other), ...moved(others, chain)]);
    const faults = await found(heads);
    expect(faults).toEqual(
      expect.arrayContaining([
        ['swapped', chain, 1, others.length],
        ['swapped', other, 1, own.length],
      ]),
    );
  });

  test('a record that does not open any more', async () => {
    const { row, sequence } = at(9);
    // Without the key, an attacker can only write other content.
    await replace([at(9)], [{ row: { ...row, text: 'no record' }, sequence }]);
    expect(await found(heads)).toEqual([['changed', chain, 9, 9]]);
  });
});

describe('records whose time is over', () => {
  test('are deleted by their class as beginnings of chains, and the rest still verifies', async () => {
    const heads = new Map<string, Head>();
    const writer = createAuditWriter(
      async () => log,
      (ends) => keepEnds(heads, ends),
    );
    const now = Date.now();
    const old = now - 40 * DAY_MS;
    await writer.append([
      createAuditRecord('reads', 1, old),
      createAuditRecord('reads', 2, old),
      createAuditRecord('changes', 3, old),
      createAuditRecord('reads', 4, now),
    ]);
    expect(await dropExpired(log, writer, now)).toBe(1);
    expect((await all()).map(({ row }) => row.call)).toEqual(['call-3', 'call-4', expect.stringMatching(/^retention /)]);
    expect(await verifyChains(log, heads)).toMatchObject({ problems: [], chains: 2 });
    // Includes a chain that has expired completely, and one whose deletion is recorded by its own chain.
    expect(await dropExpired(log, writer, now + 31 * DAY_MS)).toBe(1);
    expect(await verifyChains(log, heads)).toMatchObject({ problems: [], chains: 1 });
    expect(await dropExpired(log, writer, now + 31 * DAY_MS)).toBe(0);
    expect(await dropExpired(log, writer, now + 8 * 365 * DAY_MS)).toBe(1);
    expect((await verifyChains(log, heads, now + 8 * 365 * DAY_MS)).problems).toEqual([]);
  });

  test('are missed if more of their chain was deleted than a record says', async () => {
    const writer = createAuditWriter(async () => log);
    const old = Date.now() - 40 * DAY_MS;
    await writer.append([createAuditRecord('reads', 1, old), createAuditRecord('reads', 2), createAuditRecord('reads', 3)]);
    await dropExpired(log, writer);
    const [two] = await all();
    await replace([two as NumberedRow], []);
    expect(await found(new Map())).toEqual([['removed', two?.row.chain, 1, 2]]);
  });
});
