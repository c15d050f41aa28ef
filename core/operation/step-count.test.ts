import { expect, test } from 'vitest';
import type { OperationStatus } from './operation.js';
import { stepCount } from './step-count.js';

test.each<[OperationStatus, number, number, string]>([
  ['running', 2, 9, '2 of 9 steps'],
  ['failed', 104, 114, '104 of 114 steps'],
  ['done', 114, 114, '114 of 114 steps'],
  ['done', 104, 114, '104 steps, the other 10 planned were not needed'],
  ['done', 12, 10, '12 steps, 2 more than planned'],
])('%s with %d of %d', (status, executed, planned, words) => {
  expect(stepCount({ status, steps: { executed, planned } })).toBe(words);
});
