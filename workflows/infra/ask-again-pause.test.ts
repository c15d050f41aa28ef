import { expect, test } from 'vitest';
import { firstPause, nextPause } from './ask-again-pause.js';

/** Events that one repetition adds to a history. */
const EVENTS = 6;
/** Temporal ends a workflow with more events. */
const MOST_EVENTS = 51_200;

test('the pause between two requests doubles from 30 s to 5 min', () => {
  const pauses = [firstPause()];
  while (pauses.length < 7) pauses.push(nextPause(pauses.at(-1) as number, 100));
  expect(pauses).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000, 300_000]);
  expect([firstPause(100), nextPause(100, 100)]).toEqual([100, 200]);
});

test('half a year of waiting fits into one history', () => {
  let events = 20;
  let waited = 0;
  for (let pause = firstPause(); waited < 182 * 86_400_000; pause = nextPause(pause, events)) {
    waited += pause;
    events += EVENTS;
  }
  expect(events).toBeLessThan(MOST_EVENTS);
});
