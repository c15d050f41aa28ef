import { expect, test } from 'vitest';
import { oneOfEach } from '../../test/support/in-part.js';

const things = Array.from({ length: 23 }, (_, index) => index);

test('a part is one of each so many, and all commits together play all', () => {
  const parts = ['00000000', '00000001', '00000002', '00000003', '00000004'].map((commit) => oneOfEach(things, 5, commit));
  expect(parts[1]).toEqual([1, 6, 11, 16, 21]);
  expect(parts.flat().sort((a, b) => a - b)).toEqual(things);
});

test('one of all is one', () => expect(oneOfEach(things, things.length, 'cafe0123')).toHaveLength(1));
