import { expect, test } from 'vitest';
import { createWorkflowMap, ExpiringMap } from './expiring-map.js';

test('an entry is forgotten after its time, however often it is read or kept again', () => {
  let time = 0;
  const map = createWorkflowMap<string>(() => time);
  map.keep('deploy-42', 'shop');
  time = 3_599_999;
  map.keep('deploy-42', 'blog');
  expect(map.get('deploy-42')).toBe('shop');
  time = 3_600_000;
  expect(map.get('deploy-42')).toBeUndefined();
  map.keep('deploy-42', 'blog');
  expect(map.get('deploy-42')).toBe('blog');
});

test('the oldest entry gives way', () => {
  const map = new ExpiringMap<number>({ most: 2, keptMs: 1_000, now: () => 0 });
  for (const [index, key] of ['a', 'b', 'a', 'c'].entries()) map.keep(key, index);
  expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([undefined, 1, 3]);
});
