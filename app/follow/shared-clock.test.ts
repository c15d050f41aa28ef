import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SharedClock } from './shared-clock.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Waits for the next moment, and notes when it was. */
const note = (clock: SharedClock, moments: number[]) => clock.next(() => moments.push(performance.now()));

test('all who wait share the next moment, and the first who comes after a rest need not wait', async () => {
  const clock = new SharedClock(1_000);
  const from = performance.now();
  const moments: number[] = [];
  note(clock, moments);
  await vi.advanceTimersByTimeAsync(300);
  note(clock, moments);
  await vi.advanceTimersByTimeAsync(300);
  note(clock, moments);
  await vi.advanceTimersByTimeAsync(5_000);
  note(clock, moments);
  await vi.advanceTimersByTimeAsync(10);
  expect(moments.map((at) => Math.round(at - from))).toEqual([0, 1_000, 1_000, 5_600]);
});

test('a moment that is withdrawn does not come, and leaves the others and the pace alone', async () => {
  const clock = new SharedClock(1_000);
  const from = performance.now();
  const moments: number[] = [];
  note(clock, moments);
  await vi.advanceTimersByTimeAsync(0);
  const withdraw = note(clock, moments);
  note(clock, moments);
  withdraw();
  await vi.advanceTimersByTimeAsync(500);
  withdraw();
  await vi.advanceTimersByTimeAsync(500);
  note(clock, moments)();
  expect(vi.getTimerCount()).toBe(0);
  note(clock, moments);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(moments.map((at) => Math.round(at - from))).toEqual([0, 1_000, 2_000]);
});

test('a timer that is early is not a moment', async () => {
  const clock = new SharedClock(1_000);
  const from = performance.now();
  const moments: number[] = [];
  note(clock, moments);
  await vi.advanceTimersByTimeAsync(0);
  note(clock, moments);
  const early = vi.spyOn(performance, 'now').mockReturnValueOnce(from + 999.5);
  await vi.advanceTimersByTimeAsync(1_000);
  early.mockRestore();
  await vi.advanceTimersByTimeAsync(1);
  expect(moments).toHaveLength(2);
  expect((moments[1] as number) - from).toBeGreaterThanOrEqual(1_000);
});
