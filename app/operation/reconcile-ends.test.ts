import { afterEach, beforeEach, expect, test } from 'vitest';
import { testWorkspaceOf } from '../../core/names.js';
import { projectionMarks } from '../../stores/rows/projections/projection-marks.js';
import { type AccessFixture, openFixture } from '../../test/support/access-fixture.js';
import { fc } from '../../test/support/fast-check.js';
import { clientListing, type ListedForTest } from '../../test/support/listed-workflows.js';
import type { Engine } from '../engine.js';
import { limitToTenant } from '../tenant/list-scope.js';
import { countOperations } from './count.js';
import { readThrough } from './ended-list.js';
import { queryOperations } from './list.js';
import type { OperationFilter } from './operation-filter.js';
import { pruneEnded, readListRetention } from './prune-ended.js';
import { createReconciler } from './reconcile-ends.js';

const NOW = Date.parse('2026-11-30T12:00:00.000Z');
const MINUTE = 60_000;
const DAY = 24 * 3_600_000;

let fixture: AccessFixture;
let workflows: ListedForTest[];
let engine: Engine;
beforeEach(async () => {
  fixture = await openFixture();
  workflows = [];
  engine = { temporal: clientListing(workflows), stores: fixture.stores } as unknown as Engine;
});
afterEach(() => fixture.remove());

/** Creates an operation that ended this number of minutes ago. */
const ended = (id: string, minutesAgo: number, more: Partial<ListedForTest> = {}): ListedForTest => ({
  id,
  run: `run-${id}`,
  kind: 'cluster',
  workspace: 'default',
  infra: 'shop',
  actor: 'ann@desk',
  says: 'done',
  status: 'Completed',
  started: NOW - (minutesAgo + 1) * MINUTE,
  closed: NOW - minutesAgo * MINUTE,
  ...more,
});
const running = (id: string, minutesAgo: number, more: Partial<ListedForTest> = {}): ListedForTest => {
  const { closed: _, ...rest } = ended(id, minutesAgo, { says: 'running', status: 'Running', ...more });
  return rest;
};

async function reconciler(
  holder = 'worker',
  more: { now?: () => number; most?: number; readEnd?: (id: string) => Promise<unknown> } = {},
) {
  return createReconciler(engine, await fixture.stores.rows(), { holder, now: () => NOW, readEnd: async () => {}, ...more });
}

async function listAll(filter: OperationFilter = {}, limit = 1_000) {
  const pages: string[][] = [];
  for (let after: string | undefined; ; ) {
    const { items, next } = await queryOperations(engine, filter, { after, limit });
    pages.push(items.map(({ operation }) => operation));
    if (next === undefined) return pages;
    after = next;
  }
}
const ids = async (filter: OperationFilter = {}, limit?: number) => (await listAll(filter, limit)).flat();

/** As Temporal does after its retention. */
const forget = () => workflows.splice(0, workflows.length, ...workflows.filter(({ closed = NOW }) => closed > NOW - MINUTE));

test('operations are listed in the order of Temporal, by their filters, and after Temporal has deleted them', async () => {
  workflows.push(
    running('waits', 90, { attention: 'approval' }),
    running('runs', 2),
    ended('lately', 0.5),
    ...Array.from({ length: 7 }, (_, index) => ended(`old-${index}`, 10 + index, { infra: index % 2 ? 'blog' : 'shop' })),
    ended('cluster-check-shop-1', 12.5),
    ended('by-bob', 30, { actor: 'bob@desk', kind: 'server' }),
    ended('elsewhere', 40, { workspace: 'other' }),
  );
  const filters: OperationFilter[] = [
    {},
    { workspace: 'default' },
    { workspace: 'default', infra: 'blog' },
    { infra: 'blog' },
    { workspace: 'default', actor: 'bob@desk' },
    { actor: 'bob@desk' },
    { kind: 'server' },
    { workspace: 'default', kind: 'cluster', checks: true },
    { checks: true },
    { workspace: 'default', kind: 'server', actor: 'bob@desk' },
    { workspace: 'nothing' },
  ];
  const before = await Promise.all(filters.map((filter) => ids(filter)));
  expect(before[0]?.slice(0, 4)).toEqual(['waits', 'runs', 'lately', 'old-0']);
  expect(before.map((found) => found.length)).toEqual([12, 11, 3, 3, 1, 1, 1, 11, 13, 1, 0]);

  expect(await (await reconciler())()).toEqual({ written: 10, replayed: 10, complete: true });
  expect(await Promise.all(filters.map((filter) => ids(filter)))).toEqual(before);
  forget();
  expect(await Promise.all(filters.map((filter) => ids(filter)))).toEqual(before);
  expect(await Promise.all(filters.map((filter) => ids(filter, 2)))).toEqual(before);
  expect(await Promise.all(filters.map((filter) => countOperations(engine, filter)))).toEqual(before.map((found) => found.length));
});

test('one that was ended from outside is listed as failed, and its end is read once', async () => {
  workflows.push(
    ended('terminated', 5, { status: 'Terminated', says: 'waiting' }),
    ended('timed-out', 6, { status: 'TimedOut', says: 'running' }),
    ended('broken', 7, { status: 'Failed', says: 'running' }),
    ended('rolled-back', 8, { status: 'Failed', says: 'rolled-back' }),
    ended('long-ago', 3 * 24 * 60, { status: 'Terminated' }),
  );
  const read: string[] = [];
  const pass = await reconciler('worker', {
    readEnd: async (id) => {
      read.push(id);
      throw new Error('the history is gone');
    },
  });
  expect(await pass()).toMatchObject({ written: 5, replayed: 4 });
  expect(await pass()).toMatchObject({ written: 0, replayed: 0 });
  expect(read.sort()).toEqual(['broken', 'rolled-back', 'terminated', 'timed-out']);
  forget();
  const { items } = await queryOperations(engine, {}, { limit: 10 });
  expect(items.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed', 'rolled-back', 'failed']);
});

test('one that was reset has its newest end, and the start of its first run', async () => {
  const first = NOW - DAY;
  workflows.push(
    ended('again', 50, { run: 'a', status: 'ContinuedAsNew', started: first }),
    ended('again', 40, { run: 'b', status: 'Terminated' }),
    ended('again', 20, { run: 'c' }),
  );
  await (await reconciler())();
  await (await reconciler())();
  forget();
  const { items } = await queryOperations(engine, {}, { limit: 10 });
  expect(items).toEqual([
    expect.objectContaining({
      operation: 'again',
      status: 'done',
      started: new Date(first).toISOString(),
      ended: new Date(NOW - 20 * MINUTE).toISOString(),
    }),
  ]);
});

test('a row that differs from Temporal is corrected, also if Temporal listed the end late', async () => {
  workflows.push(ended('late', 15));
  let now = NOW;
  const pass = await reconciler('worker', { now: () => now });
  await pass();
  now += 6 * MINUTE;
  workflows.push(ended('unseen', 2));
  workflows[0] = ended('late', 4, { says: 'failed', status: 'Failed' });
  expect(await pass()).toMatchObject({ written: 2 });
  forget();
  const { items } = await queryOperations(engine, {}, { limit: 10 });
  expect(items.map(({ operation, status }) => [operation, status])).toEqual([
    ['unseen', 'done'],
    ['late', 'failed'],
  ]);
});

test('passes are bounded, and each continues where one before ended, in whatever process', async () => {
  workflows.push(...Array.from({ length: 120 }, (_, index) => ended(`op-${index}`, 10 + index * 7)));
  const all = await ids();
  const written: number[] = [];
  for (let round = 0; round < 100; round++) {
    const pass = await reconciler('worker', { most: 25 });
    const done = await pass();
    if (done?.written) written.push(done.written);
    expect(await ids({}, 50)).toEqual(all);
    if (done?.complete) break;
  }
  expect(written.length).toBeGreaterThan(3);
  expect(Math.max(...written)).toBeLessThanOrEqual(25);
  expect(written.reduce((sum, one) => sum + one, 0)).toBe(120);
  forget();
  expect(await ids({}, 50)).toEqual(all);
});

test('one process at a time writes, until it has been silent for some minutes', async () => {
  let now = NOW;
  const [one, two] = [await reconciler('one', { now: () => now }), await reconciler('two', { now: () => now })];
  workflows.push(ended('first', 10));
  expect(await one()).toMatchObject({ written: 1 });
  workflows.push(ended('second', -3));
  expect(await two()).toBeUndefined();
  now += 6 * MINUTE;
  expect(await two()).toMatchObject({ written: 1 });
  expect(await one()).toBeUndefined();
});

test('without rows, or with rows that do not answer, Temporal lists and counts what it has', async () => {
  workflows.push(running('runs', 5), ended('old', 10));
  await (await reconciler())();
  const rows = async () => {
    throw new Error('no store');
  };
  for (const stores of [{}, { rows }]) {
    engine = { ...engine, stores } as unknown as Engine;
    expect(await readThrough(engine)).toEqual({});
    expect(await ids()).toEqual(['runs', 'old']);
    expect(await countOperations(engine, {})).toBe(2);
  }
});

test('a tenant lists and counts its own operations alone, also with the name of another', async () => {
  const [ours, theirs] = ['tenant--aaaaaaaa-------------------------default', 'tenant--bbbbbbbb-------------------------default'];
  const places = { home: 'default', ours, theirs, odd: 'tenant--aaaaaaaa-!x', tried: testWorkspaceOf(ours) };
  for (const [id, workspace] of Object.entries(places)) workflows.push(ended(id, 10, { workspace }));
  await (await reconciler())();
  const of = (tenant: string | undefined, more: OperationFilter = {}) => ({
    tenant,
    where: limitToTenant(tenant === undefined ? {} : { tenant }),
    ...more,
  });
  const listed = async (filter: OperationFilter) => {
    const found = (await ids(filter)).sort();
    expect(await countOperations(engine, filter)).toBe(found.length);
    return found;
  };
  forget();
  expect(await listed(of('bbbbbbbb'))).toEqual(['theirs']);
  expect(await listed(of(''))).toEqual(['home']);
  expect(await listed(of(undefined))).toEqual(['home', 'odd', 'ours', 'theirs', 'tried']);
  expect(await listed(of('aaaaaaaa'))).toEqual(['ours', 'tried']);
  expect(await listed(of('bbbbbbbb', { workspace: ours }))).toEqual([]);
  expect(await listed(of('bbbbbbbb', { infra: 'shop', actor: 'ann@desk', kind: 'cluster' }))).toEqual(['theirs']);
});

const RETENTION = readListRetention({});

test('no operation is missed or listed twice while others begin and end', async () => {
  const step = fc.record({ limit: fc.integer({ min: 1, max: 6 }), begins: fc.nat(2), ends: fc.nat(2), passes: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.nat(30), fc.array(step, { minLength: 1, maxLength: 12 }), async (count, steps) => {
      workflows.length = 0;
      const rows = await fixture.stores.rows();
      await rows.table(projectionMarks).delete({ projection: 'operations' });
      await pruneEnded(rows, NOW + 10_000 * DAY, RETENTION);
      workflows.push(...Array.from({ length: count }, (_, index) => ended(`old-${index}`, 3 + index)));
      let now = NOW;
      const pass = await reconciler('worker', { now: () => now });
      await pass();
      const there = new Set(workflows.map(({ id }) => id));
      const seen: string[] = [];
      let [after, number]: [string | undefined, number] = [undefined, 0];
      do {
        const { limit, begins, ends, passes } = steps[number % steps.length] as (typeof steps)[number];
        const { items, next } = await queryOperations(engine, {}, { after, limit });
        seen.push(...items.map(({ operation }) => operation));
        for (let one = 0; one < begins; one++) workflows.push(running(`new-${number}-${one}`, 0));
        // Temporal may list an end late: between operations that were listed before.
        for (let one = 0; one < ends; one++) workflows.push(ended(`ended-${number}-${one}`, 2 + number + one));
        now += MINUTE;
        if (passes) await pass();
        [after, number] = [next, number + 1];
      } while (after !== undefined);
      expect(seen.filter((id) => there.has(id))).toEqual([...there]);
      expect(new Set(seen).size).toBe(seen.length);
    }),
    { numRuns: 15 },
  );
});

test('old previews are deleted before old operations', async () => {
  workflows.push(ended('cluster-check-shop-1', 40 * 24 * 60), ended('kept', 40 * 24 * 60), ended('old', 4 * 365 * 24 * 60));
  await (await reconciler())();
  forget();
  await pruneEnded(await fixture.stores.rows(), NOW, RETENTION);
  expect(await ids({ checks: true })).toEqual(['kept']);
  await pruneEnded(await fixture.stores.rows(), NOW, { operations: 39, previews: 50 });
  expect(await ids({ checks: true })).toEqual([]);
});
