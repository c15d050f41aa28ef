import { expect, test } from 'vitest';
import { type Pair, rowsOf } from './figures.js';

test('the ratio is the median within the pairs, not that of the medians', () => {
  const load = { former: 0, present: 0 };
  const pairs: Pair[] = [
    { former: { operation: 1 }, present: { operation: 1.2 }, load },
    { former: { operation: 10 }, present: { operation: 11 }, load },
    { former: { operation: 2 }, present: { operation: 4 }, load },
  ];
  const [row] = rowsOf(pairs);
  expect(row).toMatchObject({
    what: 'operation',
    former: { min: 1, median: 2, max: 10 },
    present: { min: 1.2, median: 4, max: 11 },
  });
  expect(row?.ratio).toBeCloseTo(1.2);
});

test('what only some rounds have is a row over those', () => {
  const load = { former: 0, present: 0 };
  const pairs: Pair[] = [
    { former: { again: 1, first: 20 }, present: { again: 1, first: 30 }, load },
    { former: { again: 2 }, present: { again: 2 }, load },
  ];
  const row = rowsOf(pairs).find(({ what }) => what === 'first');
  expect(row).toMatchObject({ former: { median: 20 }, present: { median: 30 }, ratio: 1.5 });
});
