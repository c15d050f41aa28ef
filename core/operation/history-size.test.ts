import { expect, test } from 'vitest';
import { LIMITS } from '../limits.js';
import { CONTINUE_AFTER, eventsOfLooks, limitAtWork, MOST_EVENTS } from './history-size.js';

test('all hosts that a definition may have can be looked at, however late in its run an operation decides', () => {
  expect(CONTINUE_AFTER + eventsOfLooks(LIMITS.servers)).toBeLessThan(MOST_EVENTS);
});

test('what is at work when a run is to end fits behind it', () => {
  // Measured by bench/large: 13 events of a machine, 16 of a service.
  expect(CONTINUE_AFTER + 16 * limitAtWork()).toBeLessThan(MOST_EVENTS);
  expect([limitAtWork(), limitAtWork(200), limitAtWork(1_000_000)]).toEqual([500, 5, 500]);
});
