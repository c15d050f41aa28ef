import { expect, test } from 'vitest';
import { parseLifetime } from './parse-lifetime.js';

test.each([
  ['1h', 1],
  ['30d', 720],
  ['365d', 8_760],
])('%s is %i hours', (written, hours) => {
  expect(parseLifetime(written, '--expires')).toBe(hours);
});

test.each(['', '0h', '0d', '366d', '8761h', '30', '30m', '-1d', '1.5d', 'forever'])('"%s" is refused', (written) => {
  expect(() => parseLifetime(written, '--expires')).toThrow(`--expires: "${written}": it is not a time from 1 hour to 365 days`);
});
