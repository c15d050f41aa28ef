import type { Client } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { emptyInventory } from '../../core/infra/inventory.js';
import type { ProviderConnection } from '../../core/machine/provider.js';
import type { OrphanReport } from '../../core/operation/orphans.js';
import type { Dependencies } from '../dependencies.js';
import { createOrphanActivities } from './orphans.js';

const scope = { workspace: 'default', infra: 'shop', uuid: 'u1' };
const server = { kind: 'server', name: 'web', id: '1', scope } as const;

/** Activities over a provider that has one server, of an infra whose entity stands so and knows of nothing. */
const activitiesWith = (status: string) => {
  const answers: Record<string, unknown> = { inventory: emptyInventory(scope), locks: { holders: [], waiters: [] } };
  const entity = { describe: async () => ({ status: { name: status } }), query: async (name: string) => answers[name] };
  const temporal = { workflow: { getHandle: () => entity } } as unknown as Client;
  const connection = { owned: async () => [server] } as unknown as ProviderConnection;
  const providers = { demo: { accounts: () => ['default'] } } as unknown as Dependencies['providers'];
  const rest = { taskQueue: 'q', secrets: { list: async () => [] }, env: {} } as unknown as Dependencies;
  return createOrphanActivities({ ...rest, temporal, providers, connectionOf: async () => connection });
};
const found = (status: string): Promise<OrphanReport> =>
  new MockActivityEnvironment().run(() => activitiesWith(status).findOrphans({ workspace: 'default' }));

test('what is of an infra whose entity was paused from outside is nobody’s orphan', async () => {
  await expect(found('PAUSED')).rejects.toMatchObject({ details: { code: 'paused-outside', on: 'infra shop' } });
  expect((await found('COMPLETED')).orphans).toMatchObject([{ name: 'web' }]);
  expect((await found('RUNNING')).orphans).toMatchObject([{ name: 'web' }]);
});
