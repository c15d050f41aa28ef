import { expect, test } from 'vitest';
import { fc } from './fast-check.js';
import { seedOf } from './seed.js';

test('a run draws with the fixed seed, with one that is named, or with a new one if that is asked for', () => {
  expect(seedOf({}, 34)).toBe(34);
  expect(seedOf({ SEED: '-7', LONG: '1' }, 34)).toBe(-7);
  expect(new Set([1, 2, 3].map(() => seedOf({ SEED: 'random' }, 34))).size).toBeGreaterThan(1);
  expect(new Set([1, 2, 3].map(() => seedOf({ LONG: '1' }, 34))).size).toBeGreaterThan(1);
  expect(() => seedOf({ SEED: 'yes' }, 34)).toThrow('cannot use SEED="yes"');
});

test('two samples of one run are the same', () => {
  expect(fc.readConfigureGlobal().seed).toBeTypeOf('number');
  expect(fc.sample(fc.nat(), 5)).toEqual(fc.sample(fc.nat(), 5));
});
