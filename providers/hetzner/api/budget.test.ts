import { describe, expect, it } from 'vitest';
import { openBudget } from './budget.js';

const about = { what: 'ask', on: 'it' };
const at = (start: number) => {
  const clock = { now: start };
  return { clock, budget: openBudget(() => clock.now) };
};
const waitOf = (ask: () => void): number | undefined => {
  try {
    ask();
    return undefined;
  } catch (error) {
    return (error as { details: { retryAfterMs?: number } }).details.retryAfterMs;
  }
};

describe('the requests of an hour', () => {
  it('are spent while some are left', () => {
    const { budget } = at(0);
    budget.learn(new Headers({ 'ratelimit-limit': '3600', 'ratelimit-remaining': '1', 'ratelimit-reset': '3600' }), false);
    expect(waitOf(() => budget.spend(about))).toBeUndefined();
    expect(budget.left()).toBeCloseTo(1 / 3600);
  });

  it('come back evenly: none left means to wait for one', () => {
    const { clock, budget } = at(0);
    budget.learn(new Headers({ 'ratelimit-limit': '360', 'ratelimit-remaining': '0', 'ratelimit-reset': '3600' }), false);
    expect(waitOf(() => budget.spend(about))).toBe(10_000);
    clock.now = 10_000;
    expect(waitOf(() => budget.spend(about))).toBeUndefined();
  });

  it('are refused for as long as the answer says, in seconds or as a date', () => {
    const { budget } = at(1_000);
    expect(budget.learn(new Headers({ 'retry-after': '7' }), true)).toBe(7_000);
    expect(waitOf(() => budget.spend(about))).toBe(7_000);
    expect(at(0).budget.learn(new Headers({ 'retry-after': new Date(20_000).toUTCString() }), true)).toBe(20_000);
    expect(at(0).budget.learn(new Headers(), true)).toBe(1_000);
  });
});
