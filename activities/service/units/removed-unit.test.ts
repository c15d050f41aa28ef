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

test('what a host was before is asked of a host, not of a zone', () => {
  const config = { provider: 'hetzner', zone: 'example.org', owner: 'shop', records: [{ name: 'shop.example.org' }] };
  const factsOf = (taskserv: string, given: unknown): { kind: string }[] =>
    Object.values(
      removedUnits(modules.taskservs, [{ taskserv, config: modules.taskservs[taskserv]?.config.parse(given) }])[0]?.facts ?? {},
    );
  expect(factsOf('cloud-dns', config).map(({ kind }) => kind)).toEqual(['records']);
  expect(factsOf('redis', {}).length).toBe(Object.keys(modules.taskservs.redis?.facts({}) ?? {}).length + 1);
});
