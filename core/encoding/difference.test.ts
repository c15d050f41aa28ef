import { expect, test } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import { applyDifference, diffValues } from './difference.js';

const sent = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
/** JSON values, with keys that are traps. */
const json = fc
  .letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, 0, 1, 'a', '', 'é'),
      fc.array(tie('value'), { maxLength: 6 }),
      fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor', '7', 'is', 'of'), tie('value'), { maxKeys: 4 }),
    ),
  }))
  .value.map(sent);

test('what differs makes the one of the other, to the order of the keys, and modifies neither', () => {
  const run = fc.property(json, json, (before, now) => {
    const texts = [JSON.stringify(before), JSON.stringify(now)];
    const difference = diffValues(before, now);
    const made = difference ? applyDifference(before, sent(difference)) : before;
    expect(JSON.stringify(made)).toBe(texts[1]);
    expect([JSON.stringify(before), JSON.stringify(now)]).toEqual(texts);
    expect(difference === undefined).toBe(texts[0] === texts[1]);
  });
  fc.assert(run, { numRuns: 2_000 });
});

test('what is in both is not said again, and stays the same object', () => {
  const rows = Array.from({ length: 1_000 }, (_, index) => ({ server: `web-${index}`, state: 'done' }));
  const before = { type: 'progress', progress: { rows, waiting: undefined, status: 'running' } };
  const now = structuredClone(before);
  Object.assign(now.progress.rows[500] as object, { state: 'failed' });
  const difference = diffValues(before, now);
  expect(JSON.stringify(difference).length).toBeLessThan(200);
  const made = applyDifference(before, difference ?? { is: 0 }) as typeof before;
  expect(made.progress.rows.filter((row, index) => row !== rows[index])).toEqual([{ server: 'web-500', state: 'failed' }]);
  now.progress.rows.splice(10, 0, { server: 'db-1', state: 'done' });
  now.progress.rows.splice(20, 1);
  expect(JSON.stringify(diffValues(made, now)).length).toBeLessThan(1_500);
});

test('a field that is undefined is none', () => {
  expect(diffValues({ a: 1, b: undefined }, { a: 1 })).toBeUndefined();
  expect(diffValues({ a: 1 }, { a: 1, b: undefined })).toBeUndefined();
  expect(applyDifference({ a: 1, b: 2 }, sent(diffValues({ a: 1, b: 2 }, { a: 1, b: undefined }) ?? { is: 0 }))).toEqual({ a: 1 });
});
