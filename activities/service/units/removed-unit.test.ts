import { expect, test } from 'vitest';
import { modules } from '../../../test/support/modules.js';
import { removedUnits } from './removed-unit.js';

const removed = (...names: string[]) =>
  removedUnits(
    modules.taskservs,
    names.map((taskserv) => ({ taskserv, config: modules.taskservs[taskserv]?.config.parse({}) })),
  ).map(({ unit }) => unit);

test('what needs another goes before it, and what all are installed by goes last', () => {
  expect(removed('apt', 'postgres', 'postgres-exporter', 'redis').at(-1)).toBe('apt');
  const order = removed('postgres', 'postgres-exporter');
  expect(order).toEqual(['postgres-exporter', 'postgres']);
});
