import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchIdle } from './idle.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the summary has the idle share of the whole run and of each minute, also of a short last one', () => {
  const spent = { idle: 500, all: 7_000 };
  const pass = (idle: number, all: number) => {
    spent.idle += idle;
    spent.all += all;
  };
  const end = watchIdle(1_000, () => ({ ...spent }));
  pass(1_000, 2_000);
  vi.advanceTimersByTime(1_000);
  pass(0, 2_000);
  vi.advanceTimersByTime(1_000);
  pass(250, 1_000);
  expect(end()).toBe('25 % of 3 minutes; in each minute: 50 0 25');
  // It is over.
  vi.advanceTimersByTime(5_000);
  expect(vi.getTimerCount()).toBe(0);
});

test('a run without a measurable time has no idle share', () => {
  expect(watchIdle(1_000, () => ({ idle: 1, all: 2 }))()).toBe('0 % of 1 minutes; in each minute: 0');
});
