import { expect, test } from 'vitest';
import { placesOf } from '../../taskservs/app/places.js';
import { unitOf } from '../../taskservs/app/unit-file.js';
import { layoutOf } from './app-layout.js';

test('commands look where the taskserv puts an application', () => {
  const { own, releases, data, env } = placesOf('shop');
  expect(layoutOf('shop')).toEqual({ own, releases, data, env, unitOf: expect.any(Function) });
  expect(layoutOf('shop').unitOf('web')).toBe(unitOf('shop', 'web'));
});
