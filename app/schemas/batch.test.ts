import { expect, test } from 'vitest';
import { submitBatch } from '../methods/batches/submit.js';

const batch = { id: 'b', name: 'all', workspace: 'default', parallel: 1, accounts: {}, priority: 3, onFailure: 'keep' };

test.each([null, 1, 'x', []])('a batch with %j as an operation or a definition is refused', (value) => {
  for (const wrong of [
    { ...batch, operations: [value], definitions: {} },
    { ...batch, operations: [], definitions: { a: value } },
  ]) {
    expect(() => submitBatch.weigh?.(wrong)).not.toThrow();
    expect(submitBatch.input.safeParse(wrong).success).toBe(false);
  }
  expect(submitBatch.input.safeParse({ ...batch, operations: [{}], definitions: {} }).success).toBe(true);
});
