import { expect, test } from 'vitest';
import { choosePause } from './poll-loop.js';

const each = { everyMs: 400 };
const together = { everyMs: 1_000, together: true };

test.each([
  ['alone, after a short poll', each, 10_000, 10_050, 400],
  ['alone, after a long poll', each, 10_000, 10_900, 900],
  ['together, at the moment of all', together, 10_000, 10_050, 950],
  ['together, begun late', together, 10_030, 10_090, 910],
  ['together, begun early', together, 9_999, 10_050, 950],
  ['together, begun between: not twice in half a pace', together, 10_700, 10_750, 1_250],
  ['together, after a poll that took most of the pace', together, 10_000, 10_700, 1_300],
  ['together, after a long poll: never sooner than that took', together, 10_000, 13_100, 3_900],
])('the pause %s', (_, pace, began, now, pause) => {
  expect(choosePause(pace, began, now)).toBe(pause);
});
