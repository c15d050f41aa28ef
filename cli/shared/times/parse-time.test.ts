import { expect, test } from 'vitest';
import { parseTime } from './parse-time.js';

const NOW = Date.parse('2026-11-29T14:30:00.000Z');

test.each([
  ['90s', '2026-11-29T14:28:30.000Z'],
  ['30m', '2026-11-29T14:00:00.000Z'],
  ['12h', '2026-11-29T02:30:00.000Z'],
  ['7d', '2026-11-22T14:30:00.000Z'],
  ['2026-11-28', '2026-11-28T00:00:00.000Z'],
  ['2026-11-28T09:15', '2026-11-28T09:15:00.000Z'],
  ['2026-11-28 09:15:30', '2026-11-28T09:15:30.000Z'],
  ['2026-11-28T09:15:30.250Z', '2026-11-28T09:15:30.250Z'],
  ['2026-11-28T09:15+02:00', '2026-11-28T07:15:00.000Z'],
])('%s is %s', (written, at) => {
  expect(parseTime(written, '--since', NOW)).toBe(at);
});

test.each(['', 'yesterday', '7', '7w', '-7d', '2026-13-01', '2026-02-30', '2026-11-28T25:00', '2026-11-28T', '28.11.2026'])(
  '"%s" is refused',
  (written) => {
    expect(() => parseTime(written, '--since', NOW)).toThrow(`--since: "${written}": it is neither an age nor a time`);
  },
);
