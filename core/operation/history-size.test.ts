import { expect, test } from 'vitest';
import { LIMITS } from '../limits.js';
import { atWorkWithin, CONTINUE_AFTER, eventsOfLooks, MOST_EVENTS } from './history-size.js';

test('all hosts that a definition may have can be looked at, however late in its run an operation decides', () => {
  expect(CONTINUE_AFTER + eventsOfLooks(LIMITS.servers)).toBeLessThan(MOST_EVENTS);
});

test('what is at work when a run is to end fits behind it', () => {
  // Measured by bench/large: 13 events of a machine, 16 of a service.
  expect(CONTINUE_AFTER + 16 * atWorkWithin()).toBeLessThan(MOST_EVENTS);
  expect([atWorkWithin(), atWorkWithin(200), atWorkWithin(1_000_000)]).toEqual([500, 5, 500]);
});
