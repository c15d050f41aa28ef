import { expect, test } from 'vitest';
import { didYouMean, distance, nearest } from './did-you-mean.js';

test.each([
  ['', 'abc', 3],
  ['redis', 'redis', 0],
  ['redsi', 'redis', 1],
  ['rdis', 'redis', 1],
  ['reddis', 'redis', 1],
  ['kitten', 'sitting', 3],
])('%j is %3$s letters away from %j', (a, b, expected) => {
  expect([distance(a, b), distance(b, a)]).toEqual([expected, expected]);
});

test('only what is near enough is proposed', () => {
  const known = ['nginx', 'postgres', 'prometheus'];
  expect(nearest('ngnix', known)).toBe('nginx');
  expect(nearest('Postgre', known)).toBe('postgres');
  expect(nearest('prom', known)).toBe('prometheus');
  expect(nearest('mysql', known)).toBeUndefined();
  expect(didYouMean('mysql', known)).toBe('known: nginx, postgres, prometheus');
  expect(didYouMean('x', [])).toBeUndefined();
});
