import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AccessFixture, openFixture } from '../../test/support/access-fixture.js';
import { failure } from '../../test/support/secret-client.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { type AnyMethod, actionsOf } from '../method.js';
import { METHODS } from '../methods.generated.js';
import { createOwner, OWNER_ONLY } from '../principal.js';
import { covers, createFreeze, endFreeze, type FreezePlace, freezePlace, readFreezes } from './freezes.js';
import { limitCalls } from './limit-calls.js';
import { PASSES_FREEZE } from './refuse-frozen.js';

let fixture: AccessFixture;
beforeEach(async () => {
  fixture = await openFixture();
});
afterEach(() => fixture.remove());

const rows = () => fixture.stores.rows();
const OWNER = createOwner('ann@desk');
const freeze = async (workspace: string, infra?: string, named: { tenant?: string } = {}) =>
  createFreeze(await rows(), await freezePlace(await rows(), OWNER, { workspace, infra, ...named }), {
    reason: 'incident 42',
    by: 'ann@desk',
  });

/** Places of the engine's operations, by their ids. */
const PLACES: Record<string, [string, string]> = { op: ['default', 'shop'] };

const temporal = {
  options: { namespace: 'n' },
  workflowService: {
    async describeWorkflowExecution({ execution: { workflowId } }: { execution: { workflowId: string } }) {
      const [workspace, infra] = PLACES[workflowId] as [string, string];
      const data = (text: string) => ({ data: Buffer.from(JSON.stringify(text)) });
      const indexedFields = { ProvisioningWorkspace: data(workspace), ProvisioningInfra: data(infra) };
      return { workflowExecutionInfo: { searchAttributes: { indexedFields } } };
    },
  },
};

/** Creates methods without effect, as the owner of a socket calls them. */
function calls() {
  const methods = Object.fromEntries(
    Object.entries(METHODS).map(([name, method]) => [name, { ...method, run: async () => undefined } as unknown as AnyMethod]),
  );
  const engine = { temporal, stores: fixture.stores } as unknown as Engine;
  return createDispatcher({ engine, principal: createOwner('ann@desk'), ...limitCalls(fixture.stores) }, methods);
}

const recover = (workspace: string, infra: string) => calls().call('servers.forgetHostKey', { workspace, infra, server: 'a' });

test('changes in a frozen place are refused with who, when and why, also those of an owner', async () => {
  await recover('default', 'shop');
  await freeze('default', 'shop');
  await expect(recover('default', 'shop')).rejects.toMatchObject({
    details: {
      code: 'frozen',
      on: 'default/shop',
      why: expect.stringMatching(/^frozen by ann@desk since 2\d{3}-\S+Z: incident 42$/),
    },
  });
  await recover('default', 'blog');
  await freeze('default');
  await expect(recover('default', 'blog')).rejects.toMatchObject(failure('frozen'));
  await recover('other', 'blog');
  await freeze('*');
  await expect(recover('other', 'blog')).rejects.toMatchObject(failure('frozen'));
});

test('an operation is found in its place, though its id does not say it', async () => {
  await freeze('default', 'shop');
  const { call } = calls();
  await expect(call('operations.resume', { operation: 'op' })).rejects.toMatchObject(failure('frozen'));
  for (const verb of ['pause', 'cancel', 'force']) await call(`operations.${verb}`, { operation: 'op' });
});

test('a freeze that is ended refuses nothing, and can be made again', async () => {
  const { freeze: first } = await freeze('default');
  expect(await freeze('default')).toEqual({ freeze: first, isNew: false });
  await endFreeze(await rows(), await freezePlace(await rows(), OWNER, { workspace: 'default' }), 'bob@desk');
  await recover('default', 'shop');
  await expect(
    endFreeze(await rows(), await freezePlace(await rows(), OWNER, { workspace: 'default' }), 'bob@desk'),
  ).rejects.toMatchObject(failure('not-frozen'));
  const again = await freeze('default');
  expect([again.isNew, again.freeze.id === first.id]).toEqual([true, false]);
  expect(await readFreezes(await rows())).toHaveLength(1);
});

test('everything that changes an infra is refused; what passes is read, looked at, stopped, or concerns the platform', () => {
  const all = [...new Set(Object.values(METHODS).flatMap((method) => actionsOf(method as AnyMethod)))];
  const refused = all.filter((action) => !action.endsWith(':read') && !PASSES_FREEZE.has(action)).sort();
  expect(refused).toEqual([
    ...['batch:approve', 'batch:decide', 'batch:rollback', 'batch:submit', 'bundle:put', 'infra:recover'],
    ...['operation:apply', 'operation:approve', 'operation:decide', 'operation:delete', 'operation:resume'],
    ...['operation:rollback', 'orphan:remove', 'secret:delete', 'secret:set'],
    ...['server:forget-host-key', 'server:import', 'server:pin-host-key'],
    'tenant:delete',
    ...['test-environment:create', 'test-environment:keep', 'test-environment:remove', 'test-environment:run'],
    ...['workspace:import', 'workspace:remove', 'workspace:rename'],
  ]);
  for (const action of PASSES_FREEZE) expect([...all, ...OWNER_ONLY]).toContain(action);
});

test.each<[string, FreezePlace, { tenant: string; workspace: string; infra?: string }, boolean]>([
  ['of the platform is for all tenants', { tenant: '', workspace: '*', infra: '*' }, { tenant: 't1', workspace: 'a' }, true],
  ['of all workspaces of a tenant', { tenant: 't1', workspace: '*', infra: '*' }, { tenant: 't1', workspace: 'a' }, true],
  ['of a tenant is not for another', { tenant: 't1', workspace: '*', infra: '*' }, { tenant: 't2', workspace: 'a' }, false],
  ['of a tenant is not for the home', { tenant: 't1', workspace: '*', infra: '*' }, { tenant: '', workspace: 'a' }, false],
  ['of a workspace is for its tenant', { tenant: '', workspace: 'a', infra: '*' }, { tenant: 't1', workspace: 'a' }, false],
  ['of an infra', { tenant: 't1', workspace: 'a', infra: 'shop' }, { tenant: 't1', workspace: 'a', infra: 'shop' }, true],
  ['of an infra is not for others', { tenant: 't1', workspace: 'a', infra: 'shop' }, { tenant: 't1', workspace: 'a' }, false],
])('a freeze %s', (_, freeze, place, is) => {
  expect(covers(freeze, place)).toBe(is);
});
