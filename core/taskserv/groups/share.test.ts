import { expect, test } from 'vitest';
import { formatSharePlace, lastsLongEnough } from './share.js';

test('a value that lasts longer than any that is made is not given', () => {
  const lasts = (seconds: number) => lastsLongEnough({ lifetimeSeconds: 600 }, 1_000 * seconds, 0);
  expect([299, 300, 600, 601, 9_999_999].map(lasts)).toEqual([false, true, true, false, false]);
});

test('a share has another place than those of names that look alike', () => {
  const places = ['a.b', 'a-b', 'узел', 'дом', `${'a'.repeat(40)}b`, `${'a'.repeat(40)}c`].map((name) =>
    formatSharePlace('store', name, 'token'),
  );
  expect(new Set(places).size).toBe(places.length);
  for (const place of places) expect(place).toMatch(/^(?:[A-Za-z0-9][A-Za-z0-9._-]*\/?)+$/);
  expect(formatSharePlace('t'.repeat(90), 'g'.repeat(90), 'n'.repeat(90)).length).toBeLessThan(140);
});
