import { expect, test } from 'vitest';
import { eventsOf, MOST_EVENTS } from './history-size.js';
import type { PlannedStep } from './operation.js';

const plan = (servers: number, taskservs: string[], machine?: 'create'): PlannedStep[] =>
  Array.from({ length: servers }, (_, index) => `s-${index}`).flatMap((on) => [
    ...(machine ? [{ on, machine, title: 'Create the server' }] : []),
    // A service has several steps, and one journal.
    ...taskservs.flatMap((taskserv) => [1, 2, 3].map((step) => ({ on, taskserv, title: `Step ${step}` }))),
  ]);

test('is not below what was measured', () => {
  expect(eventsOf(plan(2_000, [], 'create'), 0, false)).toBeGreaterThan(25_269);
  expect(eventsOf(plan(500, ['nginx', 'redis'], 'create'), 0, false)).toBeGreaterThan(21_650);
});

test('what definitions may have at most fits, also when it is rolled back', () => {
  expect(eventsOf(plan(2_000, [], 'create'), 0, true)).toBeLessThan(MOST_EVENTS);
  expect(eventsOf(plan(2_000, []), 2_000, true)).toBeLessThan(MOST_EVENTS);
});

test('what is done on a machine that is new goes with it; on others it is rolled back one by one', () => {
  const made = eventsOf(plan(100, ['nginx'], 'create'), 0, true) - eventsOf(plan(100, ['nginx'], 'create'), 0, false);
  const changed = eventsOf(plan(100, ['nginx', 'redis']), 0, true) - eventsOf(plan(100, ['nginx', 'redis']), 0, false);
  expect([made, changed]).toEqual([900, 1_800]);
});

test('three thousand services are too many', () => {
  expect(eventsOf(plan(1_500, ['nginx', 'redis'], 'create'), 0, false)).toBeGreaterThan(MOST_EVENTS);
});
