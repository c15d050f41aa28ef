import { readSpent, type Spent } from './lanes/lanes.js';

const MINUTE_MS = 60_000;

/**
 * Watches how long the processors are idle during a run of tests: a run that they limit is shortened by cheaper tests,
 * a run with idle processors by other lanes. The caller ends it; it does not keep a process running.
 *
 * @returns a function that ends it and returns the idle share as text, in all and for each minute, such as `3 % of 41
 * minutes; in each minute: 12 2 0`
 */
export function watchIdle(everyMs = MINUTE_MS, read: () => Spent = readSpent): () => string {
  const began = read();
  let last = began;
  const minutes: number[] = [];
  const note = () => {
    const now = read();
    minutes.push(shareOf(last, now));
    last = now;
  };
  const timer = setInterval(note, everyMs).unref();
  return () => {
    clearInterval(timer);
    note();
    return `${shareOf(began, last)} % of ${minutes.length} minutes; in each minute: ${minutes.join(' ')}`;
  };
}

/** Percent, rounded. */
function shareOf(from: Spent, to: Spent): number {
  const all = to.all - from.all;
  return all > 0 ? Math.round((100 * (to.idle - from.idle)) / all) : 0;
}
