import { expect, test } from 'vitest';
import type { WorkScope } from '../../core/operation/work-scope.js';
import { addInterrupted } from './roll-machines.js';

const server = (name: string) => ({ name, taskservs: [{ name: 'nginx' }, { name: 'redis' }] });
const work = { ensureServers: ['a', 'b', 'c', 'd'].map(server), ensureServices: [] } as unknown as WorkScope;
const asOf = (kind: string) =>
  ({
    request: { kind },
    inventory: { servers: { a: { services: { nginx: {} } }, b: { services: { nginx: {} } }, d: { services: { redis: {} } } } },
  }) as unknown as Parameters<typeof addInterrupted>[0];
const plan = {
  servers: [
    { server: 'a', action: 'replace' },
    { server: 'b', action: 'noop' },
    { server: 'c', action: 'update' },
    { server: 'd', action: 'update', stopped: true },
  ],
} as unknown as Parameters<typeof addInterrupted>[2];

test('an operation on servers also works on the services of machines that it interrupts', () => {
  expect(addInterrupted(asOf('server'), work, plan)).toEqual({
    ...work,
    ensureServices: [{ server: server('a'), taskservs: [{ name: 'nginx' }] }],
  });
});

test('another operation knows its services, and nothing is added if no machine is interrupted', () => {
  expect(addInterrupted(asOf('cluster'), work, plan)).toBe(work);
  expect(addInterrupted(asOf('server'), work, { ...plan, servers: [] })).toBe(work);
});
