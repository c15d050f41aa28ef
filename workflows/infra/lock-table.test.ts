import { expect, test } from 'vitest';
import { type Claimant, LockTable } from './lock-table.js';

/** The exclusive way. Claims with another word share a resource. */
const ALONE = 'exclusive';
const one = (arrival: number, ...claims: [key: string, way: string][]): Claimant => ({
  claims: claims.map(([key, way]) => ({ key, way })) as Claimant['claims'],
  place: [0, arrival],
});

test('a waiter is blocked by holders, then by those before it, each named once', () => {
  const table = new LockTable<Claimant>();
  const holder = one(1, ['a', ALONE], ['b', ALONE]);
  const [before, waiter, after] = [one(2, ['b', ALONE]), one(3, ['a', ALONE], ['b', ALONE]), one(4, ['b', ALONE])];
  table.hold(holder);
  for (const waiting of [after, waiter, before]) table.wait(waiting);
  expect(table.blockers(waiter, 9)).toEqual([
    { by: holder, key: 'a' },
    { by: before, key: 'b' },
  ]);
  expect(table.blockers(waiter, 1)).toEqual([{ by: holder, key: 'a' }]);
  table.unwait(before);
  expect(table.blockers(waiter, 9)).toEqual([{ by: holder, key: 'a' }]);
});

test('who holds a thing no longer blocks nobody, and those who share it do not block each other', () => {
  const table = new LockTable<Claimant>();
  const [first, second] = [one(1, ['a', 'v1']), one(2, ['a', 'v1'])];
  const waiter = one(3, ['a', ALONE]);
  table.hold(first);
  table.hold(second);
  expect(table.blockers(one(4, ['a', 'v1']), 9)).toEqual([]);
  table.unhold(first);
  expect(table.blockers(waiter, 9)).toEqual([{ by: second, key: 'a' }]);
  table.unhold(second);
  expect(table.blockers(waiter, 9)).toEqual([]);
});
