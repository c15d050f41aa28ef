import { expect, test } from 'vitest';
import { drawMutants } from './draw.js';
import { nearestFirst } from './nearest.js';

const MODULES = new Map([
  ['core/a.ts', 'if (a) b();'],
  ['core/b.ts', 'if (a < 1) b();'],
  ['cli/a.ts', 'a = true;'],
]);
const drawn = (count: number, seed: number) => drawMutants(MODULES, count, seed).map(({ path, start }) => `${path}:${start}`);

test('draws from each room in turn, each place once, and the same for the same seed', () => {
  expect(drawn(2, 1).map((place) => place.split('/')[0])).toEqual(['cli', 'core']);
  expect(drawn(4, 1)).toEqual(drawn(4, 1));
  const all = drawn(100, 1);
  expect(new Set(all).size).toBe(all.length);
  expect(all).toHaveLength(6);
  expect([...drawn(100, 2)].sort()).toEqual([...all].sort());
});

test('the nearest tests of a module come first', () => {
  const tests = ['app/x.test.ts', 'core/y/z.test.ts', 'core/y/b.test.ts', 'core/y/a.test.ts', 'core/q.test.ts'];
  expect(nearestFirst('core/y/a.ts', tests)).toEqual([
    'core/y/a.test.ts',
    'core/y/b.test.ts',
    'core/y/z.test.ts',
    'core/q.test.ts',
    'app/x.test.ts',
  ]);
});
