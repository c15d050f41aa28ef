import { expect, test } from 'vitest';
import { groupWrites } from './grouped.js';

test('what is asked for while a write goes on is written together next, in its order', async () => {
  const written: number[][] = [];
  const append = groupWrites<number>(async (items) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    written.push([...items]);
  }, 4);
  await Promise.all([append([1]), append([2, 3]), append([]), append([4, 5]), append([6]), append([7, 8, 9, 10, 11])]);
  expect(written).toEqual([
    [1, 2, 3],
    [4, 5, 6],
    [7, 8, 9, 10, 11],
  ]);
});

test('those whose write failed are told, and the next ones are written', async () => {
  const append = groupWrites<string>(async (items) => {
    if (items.includes('bad')) throw new Error('full');
  }, 1);
  const answers = await Promise.allSettled([append(['good']), append(['bad']), append(['next'])]);
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await append(['later']);
});
