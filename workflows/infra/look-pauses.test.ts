import { expect, test } from 'vitest';
import { lookPauses } from './look-pauses.js';

const DAY_MS = 86_400_000;
/** A timer, an activity, and two tasks of the workflow. */
const EVENTS_OF_A_LOOK = 11;

/** The looks of a day in which nothing happens: when each begins and how long it lasts, in milliseconds. */
function dayOf(somebodyWaits: boolean, paceMs?: number, dayMs = DAY_MS) {
  const pauses = lookPauses(paceMs);
  pauses.begin();
  const looks: { at: number; forMs: number; isLong: boolean }[] = [];
  for (let now = 0; ; ) {
    now += pauses.pause;
    if (now >= dayMs) return looks;
    const isLong = pauses.areSpent;
    const forMs = isLong ? pauses.nextLong() : pauses.next(somebodyWaits, ['apply-1']);
    looks.push({ at: now, forMs, isLong });
    now += forMs;
  }
}

test.each([true, false])('a day of looks adds at most 200 events to a history (somebody waits: %s)', (somebodyWaits) => {
  const looks = dayOf(somebodyWaits);
  expect(looks.length * EVENTS_OF_A_LOOK).toBeLessThanOrEqual(150);
  // The first looks are near: an operation of some seconds is looked at as before.
  expect(looks.slice(0, 3).map(({ isLong }) => isLong)).toEqual([false, false, false]);
  expect(looks[0]?.at).toBe(2_000);
  // Nothing is unwatched for more than the pause between two looks.
  for (const [index, { at, forMs, isLong }] of looks.entries())
    if (isLong) expect((looks[index + 1]?.at ?? 0) - (at + forMs)).toBeLessThanOrEqual(2_000);
});

test('with a shorter pace the whole day is shorter', () => {
  expect(dayOf(true, 1, DAY_MS / 2_000).map(({ at, forMs }) => [at * 2_000, forMs * 2_000])).toEqual(
    dayOf(true).map(({ at, forMs }) => [at, forMs]),
  );
});

test('after news looks are near again', () => {
  const pauses = lookPauses();
  for (let looks = 0; !pauses.areSpent; looks++) {
    expect(looks).toBeLessThan(10);
    pauses.next(true, ['apply-1']);
  }
  pauses.nextLong();
  pauses.foundNews();
  expect(pauses.areSpent).toBe(false);
  expect(pauses.next(true, ['apply-2'])).toBe(8_000);
});
