import { expect, test } from 'vitest';
import { newestFirst } from './newest-first.js';

test.each([
  [
    ['3.7.9', '3.7.15', '3.8'],
    ['3.8', '3.7.15', '3.7.9'],
  ],
  [
    ['9.2', '9.2p1', '9.1p2'],
    ['9.2p1', '9.2', '9.1p2'],
  ],
  [
    ['2.0', '2.0-rc2', '2.0-rc10', '1.9'],
    ['2.0', '2.0-rc10', '2.0-rc2', '1.9'],
  ],
  [
    ['8.2302.0', '8.2402'],
    ['8.2402', '8.2302.0'],
  ],
  [
    ['17', '9', '15'],
    ['17', '15', '9'],
  ],
])('%j are %j, newest first', (versions, ordered) => expect([...versions].sort(newestFirst)).toEqual(ordered));

test('a version is as new as itself', () => expect(newestFirst('1.2.3-1', '1.2.3-1')).toBe(0));
