import { expect, test } from 'vitest';
import { choosePace } from './choose-pace.js';

test('a caller over the network has a subject looked at once a second at most, and one of this machine as often as before', () => {
  const pace = { firstMs: 700, everyMs: 400 };
  expect(choosePace({ door: { kind: 'https' } }, pace)).toEqual({ firstMs: 0, everyMs: 1_000, together: true });
  expect(choosePace({ door: { kind: 'https' } }, { firstMs: 0, everyMs: 3_000 })).toEqual({
    firstMs: 0,
    everyMs: 3_000,
    together: true,
  });
  expect([choosePace({}, pace), choosePace({ door: { kind: 'socket' } }, pace)]).toEqual([pace, pace]);
});
