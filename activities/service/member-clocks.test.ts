import { expect, test } from 'vitest';
import { CLOCK_QUESTION, type ClockOffset, compareClock, findClocksApart } from './member-clocks.js';

const NOW = 1_800_000_000;
/** @param ahead seconds by which each clock is ahead; @param seconds that each answer took */
const apart = (ahead: Record<string, number>, seconds = 0.2) => {
  const offsets = Object.entries(ahead).map(([server, more]): [string, ClockOffset | undefined] => [
    server,
    compareClock({ seconds: NOW + more }, NOW * 1_000, (NOW + seconds) * 1_000),
  ]);
  return findClocksApart(new Map(offsets.flatMap(([server, one]) => (one ? [[server, one] as const] : []))));
};

test('a clock that is apart is named with its seconds, whatever the clock of the worker says', () => {
  expect(apart({ a: 0, b: 1, c: 60 })).toEqual({ c: 59 });
  expect(apart({ a: 3_600, b: 3_600, c: 3_540 })).toEqual({ c: -60 });
  expect(apart({ a: 0, b: -10 })).toEqual({ b: -10 });
  expect(apart({ a: 2, b: 0, c: 1 })).toEqual({});
  expect(apart({ a: 60 })).toEqual({});
  expect(apart({})).toEqual({});
});

test('an answer that took long says nothing about a smaller difference', () => {
  expect(apart({ a: 0, b: 0, c: 8 }, 6)).toEqual({});
  expect(apart({ a: 0, b: 0, c: 20 }, 6)).toEqual({ c: 20 });
});

test('only a number is read from a host', () => {
  const { seconds } = CLOCK_QUESTION.facts;
  const parse = (stdout: string, exit = 0) => seconds?.kind === 'command' && seconds.parse({ stdout, exit });
  expect([parse('1800000000\n'), parse('date: no'), parse('9'.repeat(40)), parse('1', 1)]).toEqual([
    1_800_000_000,
    undefined,
    undefined,
    undefined,
  ]);
  expect(compareClock({ seconds: '1' }, 0, 1)).toBeUndefined();
});
