import { expect, it } from 'vitest';
import { isWholeRange, rangeBounds, rangesOverlap } from './network-range.js';

it('knows the bounds of a range', () => {
  expect(rangeBounds('0.0.0.0/0')).toEqual([0, 2 ** 32 - 1]);
  expect(rangeBounds('10.0.1.0/24')).toEqual([167_772_416, 167_772_671]);
  for (const wrong of ['10.0.0.0', '10.0.0.0/33', '10.0.0.256/24', 'fd00::/8', '']) expect(rangeBounds(wrong)).toBeUndefined();
});

it('knows what overlaps', () => {
  expect(rangesOverlap('10.0.0.0/8', '10.20.0.0/24')).toBe(true);
  expect(rangesOverlap('10.20.0.0/24', '10.20.1.0/24')).toBe(false);
  expect(rangesOverlap('10.20.0.0/24', 'what')).toBe(false);
});

it('knows what is written by its first address', () => {
  expect(isWholeRange('10.20.0.0/24')).toBe(true);
  expect(isWholeRange('10.20.0.7/24')).toBe(false);
  expect(isWholeRange('10.20.0.7/32')).toBe(true);
});
