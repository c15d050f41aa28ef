import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { Feed } from '../../core/infra/feed.js';
import { emptyInventory, type Inventory } from '../../core/infra/inventory.js';
import type { ProviderConnection } from '../../core/machine/provider.js';
import type { OrphanReport } from '../../core/operation/orphans.js';
import { activityEnvironment } from '../../test/support/activity-environment.js';
import type { Dependencies } from '../dependencies.js';
import { createOrphanActivities } from './orphans.js';

const scope = { workspace: 'default', infra: 'shop', uuid: 'u1' };
const server = { kind: 'server', name: 'web', id: '1', scope } as const;

/** Activities with a provider that has one server, of an infra whose entity has this state and knows no resource. */
const activitiesWith = (status: string, feeds: Feed[] = []) => {
  const answers: Record<string, unknown> = { inventory: emptyInventory(scope), locks: { holders: [], waiters: [] } };
  const entity = { describe: async () => ({ status: { name: status } }), query: async (name: string) => answers[name] };
  const temporal = { workflow: { getHandle: () => entity } } as unknown as Client;
  const connection = { owned: async () => [server] } as unknown as ProviderConnection;
  const providers = { demo: { accounts: () => ['default'] } } as unknown as Dependencies['providers'];
  const rest = {
    taskQueue: 'q',
    secrets: { list: async () => [] },
    env: {},
    feeds: { read: async () => feeds },
  } as unknown as Dependencies;
  return createOrphanActivities({ ...rest, temporal, providers, connectionOf: async () => connection });
};
const found = (status: string, feeds?: Feed[]): Promise<OrphanReport> =>
  activityEnvironment().run(() => activitiesWith(status, feeds).findOrphans({ workspace: 'default' }));

test('what is of an infra whose entity was paused from outside is nobody’s orphan', async () => {
  await expect(found('PAUSED')).rejects.toMatchObject({ details: { code: 'paused-outside', on: 'infra shop' } });
  expect((await found('COMPLETED')).orphans).toMatchObject([{ name: 'web' }]);
  expect((await found('RUNNING')).orphans).toMatchObject([{ name: 'web' }]);
});

test('what is of an infra that the store can bring back is kept, and named with the way', async () => {
  const entry = (sequence: number, content: Feed['entries'][number]['content']) => ({
    ...{ sequence, at: '2026-11-23T05:00:00.000Z', content },
  });
  const web = { name: 'web', state: 'running', spec: { volumes: [] } };
  const inventory = { ...emptyInventory(scope), servers: { web } } as unknown as Inventory;
  const lives: Feed = {
    uuid: 'u1',
    entries: [entry(1, { kind: 'snapshot', inventory, definitions: { entries: [], contents: {} } })],
  };
  const ended: Feed = { uuid: 'u1', entries: [entry(2, { kind: 'ended' })] };
  const removed = (feeds: Feed[]) =>
    activityEnvironment().run(() =>
      activitiesWith('COMPLETED', feeds).removeOrphan({ orphan: { ...server, provider: 'demo', reason: '' } }),
    );
  const why = 'the store has a feed of this infra: provisioning infra recover shop';
  expect((await found('COMPLETED', [lives])).orphans).toMatchObject([{ name: 'web', reason: why }]);
  expect(await removed([lives])).toEqual({ kept: why });
  // As while its removal holds the lock, for which an entity is begun that knows of nothing.
  expect((await found('RUNNING', [lives])).orphans).toMatchObject([{ reason: why }]);
  for (const feeds of [[ended], [{ ...lives, uuid: 'u2' }]])
    expect((await found('COMPLETED', feeds)).orphans).toMatchObject([{ reason: 'no infra "shop" lives' }]);
});
