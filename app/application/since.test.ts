import { expect, test } from 'vitest';
import { parseSince } from './since.js';

test.each([
  ['30m', '-30min'],
  ['2 h', '-2h'],
  ['45s', '-45s'],
  ['1d', '-1d'],
  ['10 min ago', '10 min ago'],
  ['2026-11-26 08:00', '2026-11-26 08:00'],
])('%s is %s to journalctl', (written, read) => expect(parseSince(written)).toBe(read));
