import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { mapAtOnce } from './at-once.js';

test('each is worked on once, so many at a time, and answered for in its place', async () => {
  let [now, most] = [0, 0];
  const answers = await mapAtOnce([5, 1, 4, 2, 3], 2, async (item) => {
    most = Math.max(most, ++now);
    await sleep(item);
    now--;
    return item * 2;
  });
  expect([answers, most]).toEqual([[10, 2, 8, 4, 6], 2]);
  expect(await mapAtOnce([], 2, async () => 1)).toEqual([]);
});
