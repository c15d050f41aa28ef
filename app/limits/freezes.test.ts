import { WorkflowNotFoundError } from '@temporalio/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addressOf } from '../../core/infra/definition-log.js';
import { addressOfFile } from '../../definition/source/file-address.js';
import { type AccessFixture, openFixture } from '../../test/support/access-fixture.js';
import { demoDefinition } from '../../test/support/definition.js';
import { failure } from '../../test/support/secret-client.js';
import { putBundle } from '../bundle/bundle-store.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { type AnyMethod, actionsOf } from '../method.js';
import { METHODS } from '../methods.generated.js';
import { createOwner, OWNER_ONLY } from '../principal.js';
import { recordEnvironment } from './environments/record-environment.js';
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
const freeze = async (workspace: string, infra?: string, named: { tenant?: string; environment?: string } = {}) =>
  createFreeze(await rows(), await freezePlace(await rows(), OWNER, { workspace, infra, ...named }), {
    reason: 'incident 42',
    by: 'ann@desk',
  });

/** Places of the engine's operations, by their ids. */
const PLACES: Record<string, [workspace: string, infra?: string]> = {
  op: ['default', 'shop'],
  ...{ all: ['default'], 'of-blog': ['default'], gone: ['default'] },
};

/** Operations of the engine's batches, by their ids. */
const BATCHES: Record<string, { infra: string }[]> = {
  all: [{ infra: 'blog' }, { infra: 'shop' }],
  'of-blog': [{ infra: 'blog' }],
};

const temporal = {
  options: { namespace: 'n' },
  workflow: {
    getHandle: (id: string) => ({
      async describe() {
        if (!BATCHES[id]) throw new WorkflowNotFoundError('no such workflow', id, undefined);
        return { status: { name: 'RUNNING' }, runId: 'r', historyLength: 1 };
      },
      // No infra has a definition from a former release.
      query: async () => (BATCHES[id] ? { status: 'running', pages: [id] } : []),
    }),
  },
  workflowService: {
    async describeWorkflowExecution({ execution: { workflowId } }: { execution: { workflowId: string } }) {
      const [workspace, infra] = PLACES[workflowId] as [string, string?];
      const data = (text: string) => ({ data: Buffer.from(JSON.stringify(text)) });
      const indexedFields = { ProvisioningWorkspace: data(workspace), ...(infra && { ProvisioningInfra: data(infra) }) };
      return { workflowExecutionInfo: { searchAttributes: { indexedFields } } };
    },
  },
};

/** Creates methods without effect, as the owner of a socket calls them. */
function calls() {
  const methods = Object.fromEntries(
    Object.entries(METHODS).map(([name, method]) => [name, { ...method, run: async () => undefined } as unknown as AnyMethod]),
  );
  const engine = { temporal, stores: fixture.stores, batchPage: async (page: string) => BATCHES[page] } as unknown as Engine;
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

/** Submits a definition of `shop` whose files were read for an environment. */
async function submit(environment: string | undefined, id: string): Promise<unknown> {
  const definition = demoDefinition('shop', { servers: [{ name: 'web', plan: 'small' }] });
  const text = 'infra: shop\n';
  const address = addressOfFile('default', text);
  const { bundle } = await putBundle(
    fixture.stores.blobs,
    {
      ...{ workspace: 'default', infra: 'shop', definition: addressOf(definition), main: 'shop.yaml' },
      ...(environment !== undefined && { environment }),
      files: [{ path: 'shop.yaml', address, size: text.length }],
    },
    { [address]: text },
  );
  const request = {
    ...{ id, kind: 'cluster', workspace: 'default', infra: 'shop' },
    intent: { verb: 'ensure' },
    definition,
    bundle,
  };
  await calls().call('operations.submit', { request });
  await recordEnvironment(await rows(), { workspace: 'default', infra: 'shop' }, environment);
  return bundle;
}

test('an environment is frozen with all infras in it, and no change of the environment passes', async () => {
  const frozen = { details: { code: 'frozen', on: 'environment prod of default' } };
  await submit('prod', 'a');
  await freeze('default', undefined, { environment: 'prod' });
  await expect(submit('prod', 'b')).rejects.toMatchObject(frozen);
  await expect(submit(undefined, 'c')).rejects.toMatchObject(frozen);
  await expect(recover('default', 'shop')).rejects.toMatchObject(frozen);
  await expect(calls().call('operations.resume', { operation: 'op' })).rejects.toMatchObject(frozen);
  await recover('other', 'shop');
  await endFreeze(await rows(), await freezePlace(await rows(), OWNER, { workspace: 'default', environment: 'prod' }), 'bob@desk');
  await submit('staging', 'd');
  // It may not be in force: both count, however often it is submitted.
  await freeze('default', undefined, { environment: 'prod' });
  await expect(recover('default', 'shop')).rejects.toMatchObject(frozen);
  await recordEnvironment(await rows(), { workspace: 'default', infra: 'shop' }, 'staging');
  await expect(recover('default', 'shop')).rejects.toMatchObject(frozen);
  await recordEnvironment(await rows(), { workspace: 'default', infra: 'shop' }, 'staging', async () => true, Date.now() + 120_000);
  await recover('default', 'shop');
  await expect(submit('prod', 'e')).rejects.toMatchObject(frozen);
});

test('a batch that names a frozen environment is refused', async () => {
  const batch = { id: 'b', name: 'all', parallel: 1, accounts: {}, priority: 3, onFailure: 'keep', definitions: {} };
  const send = (workspace: string, ...environments: unknown[]) => {
    const operations = environments.map((environment, at) => ({ infra: `shop-${at}`, environment }));
    return calls().call('batches.submit', { ...batch, workspace, operations });
  };
  await freeze('default', undefined, { environment: 'prod' });
  const frozen = { details: { code: 'frozen', on: 'environment prod of default' } };
  await expect(send('default', 'dev', 'prod')).rejects.toMatchObject(frozen);
  await send('default', 'dev', undefined, ['prod']);
  await send('other', 'prod');
});

test('a batch is judged by the infras of its operations, also if it names no environment', async () => {
  const batch = { id: 'b', name: 'all', parallel: 1, accounts: {}, priority: 3, onFailure: 'keep', definitions: {} };
  const send = (workspace: string, ...infras: unknown[]) =>
    calls().call('batches.submit', { ...batch, workspace, operations: infras.map((infra) => ({ infra })) });
  await recordEnvironment(await rows(), { workspace: 'default', infra: 'shop' }, 'prod');
  await recordEnvironment(await rows(), { workspace: 'default', infra: 'blog' }, 'dev');
  await freeze('default', undefined, { environment: 'prod' });
  await send('default', 'blog', 'new', { shop: true });
  await send('other', 'shop');
  const ofShop = expect.stringMatching(/^frozen by ann@desk since \S+: incident 42; the batch has an operation on shop$/);
  await expect(send('default', 'blog', 'shop')).rejects.toMatchObject({
    details: { code: 'frozen', on: 'environment prod of default', why: ofShop },
  });
  await endFreeze(await rows(), await freezePlace(await rows(), OWNER, { workspace: 'default', environment: 'prod' }), 'bob@desk');
  await freeze('default', 'shop');
  await send('default', 'blog');
  await expect(send('default', 'blog', 'shop')).rejects.toMatchObject({
    details: { code: 'frozen', on: 'default/shop', why: ofShop },
  });
});

test('a known batch is judged by the infras of its operations; one that does not exist is for its method', async () => {
  await recordEnvironment(await rows(), { workspace: 'default', infra: 'shop' }, 'prod');
  const approve = (batch: string) => calls().call('batches.approve', { batch });
  await approve('all');
  await freeze('default', undefined, { environment: 'prod' });
  await expect(approve('all')).rejects.toMatchObject({ details: { code: 'frozen', on: 'environment prod of default' } });
  await approve('of-blog');
  await approve('gone');
  await calls().call('batches.cancel', { batch: 'all' });
});

test('a place has an infra or an environment', async () => {
  await expect(freeze('default', 'shop', { environment: 'prod' })).rejects.toMatchObject(failure('bad-request'));
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

const inProd = { infra: 'shop', environments: ['prod'] };
test.each<[string, FreezePlace, { tenant: string; workspace: string; infra?: string; environments?: string[] }, boolean]>([
  ['of the platform is for all tenants', { tenant: '', workspace: '*', infra: '*' }, { tenant: 't1', workspace: 'a' }, true],
  ['of all workspaces of a tenant', { tenant: 't1', workspace: '*', infra: '*' }, { tenant: 't1', workspace: 'a' }, true],
  ['of a tenant is not for another', { tenant: 't1', workspace: '*', infra: '*' }, { tenant: 't2', workspace: 'a' }, false],
  ['of a tenant is not for the home', { tenant: 't1', workspace: '*', infra: '*' }, { tenant: '', workspace: 'a' }, false],
  ['of a workspace is for its tenant', { tenant: '', workspace: 'a', infra: '*' }, { tenant: 't1', workspace: 'a' }, false],
  ['of an infra', { tenant: 't1', workspace: 'a', infra: 'shop' }, { tenant: 't1', workspace: 'a', infra: 'shop' }, true],
  ['of an environment', { tenant: '', workspace: 'a', infra: '@prod' }, { tenant: '', workspace: 'a', ...inProd }, true],
  [
    'of an environment is not for another',
    { tenant: '', workspace: 'a', infra: '@test' },
    { tenant: '', workspace: 'a', ...inProd },
    false,
  ],
  [
    'of an environment is not for what has none',
    { tenant: '', workspace: 'a', infra: '@prod' },
    { tenant: '', workspace: 'a', infra: 'shop' },
    false,
  ],
  [
    'of an environment is for its workspace',
    { tenant: '', workspace: 'b', infra: '@prod' },
    { tenant: '', workspace: 'a', ...inProd },
    false,
  ],
  [
    'of an environment in all workspaces',
    { tenant: '', workspace: '*', infra: '@prod' },
    { tenant: 't1', workspace: 'a', ...inProd },
    true,
  ],
  [
    'of an environment of a tenant',
    { tenant: 't2', workspace: '*', infra: '@prod' },
    { tenant: 't1', workspace: 'a', ...inProd },
    false,
  ],
  ['of an infra is not for others', { tenant: 't1', workspace: 'a', infra: 'shop' }, { tenant: 't1', workspace: 'a' }, false],
])('a freeze %s', (_, freeze, place, is) => {
  expect(covers(freeze, place)).toBe(is);
});
