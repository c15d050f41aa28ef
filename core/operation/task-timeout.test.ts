import { expect, test } from 'vitest';
import { demoDefinition } from '../../test/support/definition.js';
import { taskTimeoutOf } from './task-timeout.js';

const servers = (count: number) => demoDefinition('shop', { servers: [{ name: 'web', count }], taskservs: ['nginx', 'redis'] });
const ensure = { kind: 'cluster', intent: { verb: 'ensure' } } as const;

test.each([
  ['one server', { ...ensure, definition: servers(1) }, 10_060],
  ['500 servers with two services each', { ...ensure, definition: servers(500) }, 40_000],
  ['all of an infra, whatever that is', { kind: 'cluster', intent: { verb: 'delete' } }, 30_000],
  ['the roll-back of an operation', { kind: 'server', intent: { verb: 'rollback', of: 'x' } }, 30_000],
  ['a few servers', { kind: 'server', intent: { verb: 'restart', servers: ['web-1'] } }, 10_000],
] as const)('a turn of an operation on %s takes as long as its replay may', (_what, request, timeout) => {
  expect(taskTimeoutOf(request as Parameters<typeof taskTimeoutOf>[0])).toBe(timeout);
});

test('and never longer than Temporal grants', () => {
  const many = Array.from({ length: 20 }, () => servers(500).servers).flat();
  expect(taskTimeoutOf({ ...ensure, definition: { ...servers(1), servers: many } })).toBe(120_000);
});
