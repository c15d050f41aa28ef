import { expect, test } from 'vitest';
import { ownSeconds, readStat, startClock } from './own-time.js';

test('time in which others have the processors does not count, time of waiting does', () => {
  const before = { at: 0, processor: 1, isAsleep: true };
  expect(ownSeconds(before, { at: 60, processor: 3, isAsleep: false })).toBe(2);
  expect(ownSeconds(before, { at: 60, processor: 3, isAsleep: true })).toBe(60);
  // The time of an ended process without a parent is lost.
  expect(ownSeconds(before, { at: 60, processor: 0, isAsleep: false })).toBe(0);
});

test('reads the state and the time of a process whose name has brackets', () => {
  const stat = '7 (a) b) R 1 7 7 0 -1 4194304 100 0 0 0 150 50 25 75 20 0 1 0 100 0 0';
  expect(readStat(stat)).toEqual({ state: 'R', seconds: 3 });
});

test('a process that works uses time', () => {
  const clock = startClock(process.pid);
  for (let from = process.cpuUsage().user; process.cpuUsage().user - from < 50_000; );
  const { own, processor } = clock();
  expect(own).toBeGreaterThanOrEqual(0.03);
  expect(processor).toBeGreaterThanOrEqual(0.03);
});
