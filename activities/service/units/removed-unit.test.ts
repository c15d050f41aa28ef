import { expect, test } from 'vitest';
import type { FormerState } from '../../../core/host/before.js';
import { absentValues } from '../../../core/host/facts.js';
import type { Step } from '../../../core/host/step.js';
import { modules } from '../../../test/support/modules.js';
import { createRemovedUnits } from './removed-unit.js';

const removed = (...names: string[]) =>
  createRemovedUnits(
    modules.taskservs,
    names.map((taskserv) => ({ taskserv, config: modules.taskservs[taskserv]?.config.parse({}) })),
  ).map(({ unit }) => unit);

test('what needs another goes before it, and what all are installed by goes last', () => {
  expect(removed('apt', 'postgres', 'postgres-exporter', 'redis').at(-1)).toBe('apt');
  const order = removed('postgres', 'postgres-exporter');
  expect(order).toEqual(['postgres-exporter', 'postgres']);
});

const ZONE = { provider: 'hetzner', zone: 'example.org', owner: 'shop', records: [{ name: 'shop.example.org' }] };
const unitsOf = (rows: Record<string, unknown>) =>
  createRemovedUnits(
    modules.taskservs,
    Object.entries(rows).map(([taskserv, given]) => ({ taskserv, config: modules.taskservs[taskserv]?.config.parse(given) })),
  );

test('what a host was before is asked of a host, not of a zone', () => {
  const [zone] = unitsOf({ 'cloud-dns': ZONE });
  expect(Object.values(zone?.facts ?? {}).map((one) => (one as { kind: string }).kind)).toEqual(['records']);
  const [redis] = unitsOf({ redis: {} });
  expect(Object.keys(redis?.facts ?? {}).length).toBe(Object.keys(modules.taskservs.redis?.facts({}) ?? {}).length + 1);
});

test.each([[{ redis: {}, 'cloud-dns': ZONE }], [{ 'cloud-dns': ZONE, redis: {} }]])(
  'packages that came with services go with the last one on the host, whatever goes at a vendor: %j',
  (rows) => {
    const removed = unitsOf(rows).find(({ unit }) => unit === 'redis');
    if (!removed) throw new Error('redis is not removed');
    const before: FormerState = { noted: [], added: ['redis-server', 'redis-tools'], gone: [], services: ['redis'] };
    const own = Object.keys(modules.taskservs.redis?.facts({}) ?? {});
    const key = Object.keys(removed.facts).find((one) => !own.includes(one)) ?? '';
    const found = { ...absentValues(removed.facts), [key]: before };
    const same = (steps: readonly Step[]) => steps;
    const { steps } = removed.plan({ found, toRemove: same, toDo: same } as never, {} as never) as { steps: Step[] };
    expect(steps.flatMap((step) => ('restore' in step ? [step.restore] : []))).toEqual([
      { what: 'packages', remove: ['redis-server', 'redis-tools'], install: [] },
    ]);
  },
);
