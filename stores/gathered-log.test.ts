import { expect, test } from 'vitest';
import { partEnd } from './gathered-log.js';

test('no part of a log ends within a character', () => {
  const text = 'ab\u{1f40c}cd';
  const parts = [text.slice(0, partEnd(text, 3)), text.slice(partEnd(text, 3))];
  expect(parts).toEqual(['ab', '\u{1f40c}cd']);
  expect(parts.map((part) => Buffer.from(part).toString('utf8')).join('')).toBe(text);
  expect(partEnd(text, 4)).toBe(4);
});
