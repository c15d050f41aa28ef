import { expect, test, vi } from 'vitest';
import type { OperationRequest } from '../../core/operation/operation.js';
import { demoDefinition } from '../../test/support/definition.js';
import type { PlanServersInput } from '../machine/plan-servers.js';
import { type Beginning, lookEarly } from './early-look.js';

const definition = demoDefinition('shop', { servers: [{ name: 'web', count: 3 }] });
const beginning = (name: string, more: Partial<OperationRequest> = {}): Beginning => ({
  request: {
    id: `make-${name}`,
    kind: 'server',
    workspace: 'default',
    infra: 'shop',
    actor: 'tester',
    intent: { verb: 'ensure', servers: [name] },
    definition,
    ...more,
  },
  grant: { grant: 1, inventory: { workspace: 'default', infra: 'shop', uuid: 'u', servers: {}, networks: {} } },
});
const look = () =>
  vi.fn(async ({ ensure }: PlanServersInput) => ({
    servers: ensure.map(({ name }) => ({ server: name, action: 'create' as const, changes: [], volumes: [] })),
    networks: [{ name: definition.servers[0]?.network ?? '', provider: 'demo', missing: true }],
  }));

test('one question answers for all operations, each with what is its own', async () => {
  const asked = look();
  const looks = await lookEarly([beginning('web-1'), beginning('web-2')], asked, () => false);
  expect(asked).toHaveBeenCalledTimes(1);
  expect([...looks].map(([id, { servers, networks }]) => [id, servers.map(({ server }) => server), networks.length])).toEqual([
    ['make-web-1', ['web-1'], 1],
    ['make-web-2', ['web-2'], 1],
  ]);
});

test('what had better look for itself is left to do so', async () => {
  const asked = look();
  expect(await lookEarly([beginning('web-1')], asked, () => true)).toEqual(new Map());
  expect(await lookEarly([beginning('web-9')], asked, () => false)).toEqual(new Map());
  expect(asked).not.toHaveBeenCalled();
  const broken = vi.fn(() => Promise.reject(new Error('no way there')));
  expect(await lookEarly([beginning('web-1')], broken, () => false)).toEqual(new Map());
  expect(broken).toHaveBeenCalledTimes(1);
});
