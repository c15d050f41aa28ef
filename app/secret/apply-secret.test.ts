import { expect, test } from 'vitest';
import { clientOver } from '../../client/client.js';
import type { OperationManner } from '../../core/schema/batch-request.js';
import { createMaker } from '../../secrets/generate/makers.js';
import { allRefused, at, failure, kept, temporal, withSecretHome, workspace } from '../../test/support/secret-client.js';
import { temporalOfInfras } from '../../test/support/temporal-of-infras.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { createOwner, type Principal } from '../principal.js';

withSecretHome();

/** Creates a platform that records batches instead of starting them, with their operations. */
function platform(principal: Principal = createOwner('ann@desk'), queried = temporal()) {
  const batches: Record<string, unknown>[] = [];
  const texts = new Map<string, string>();
  const put = async (text: string) => {
    const address = texts.size.toString(16).padStart(64, '0');
    texts.set(address, text);
    return address;
  };
  const start = async (_: string, { args: [batch] }: { args: [{ pages: string[] }] }) => {
    batches.push({ ...batch, pages: batch.pages.map((page) => JSON.parse(texts.get(page) ?? '')) });
  };
  const engine = {
    temporal: { ...queried, workflow: { ...queried.workflow, start } },
    stores: { secrets: kept.store, blobs: { put } },
  } as unknown as Engine;
  const dispatcher = createDispatcher({ engine, principal, checksAnswers: true });
  return { batches, client: clientOver({ ...dispatcher, close: async () => {} }) };
}

test('the services that use a secret get its value by a batch, as whoever calls', async () => {
  const { client, batches } = platform();
  await client.secrets.set({ ...at, value: 'hidden' });
  expect(await client.secrets.apply({ ...at, as: 'batch-secret-1' })).toEqual({ batch: 'batch-secret-1', infras: ['shop'] });
  expect(batches).toMatchObject([{ id: 'batch-secret-1', actor: 'ann@desk', workspace, parallel: 1, onFailure: 'keep' }]);
  const operation = { kind: 'taskserv', verb: 'ensure', infra: 'shop', servers: ['web-1'], taskservs: ['redis'] };
  expect(batches[0]?.pages).toEqual([[{ name: 'shop', ...operation, stage: 0, accounts: ['demo'], onFailure: 'rollback' }]]);
  expect(JSON.stringify(batches)).not.toContain('hidden');
});

test('each infra has its manner, and infras that are not named are left out', async () => {
  const { client, batches } = platform();
  await client.secrets.set({ ...at, value: 'hidden' });
  const manner = {
    ...{ onFailure: 'ask', onTimeout: 'keep', priority: 1, approve: ['before-change'], timing: { healthMs: 5 } },
    ...{ update: { strategy: 'rolling', batch: '25%' }, settings: { 'operation.priority': { value: 1, layer: 'workspace' } } },
  } satisfies OperationManner;
  const manners = { shop: manner, other: { priority: 5 as const } };
  expect(await client.secrets.apply({ ...at, as: 'batch-secret-1', manners })).toMatchObject({ infras: ['shop'] });
  expect(batches[0]?.pages).toMatchObject([[{ name: 'shop', ...manner }]]);
  expect(await client.secrets.apply({ ...at, as: 'batch-secret-2', infras: ['blog'] })).toEqual({ infras: [] });
  const unknown = { shop: { hurry: true } } as never;
  await allRefused('bad-request', [client.secrets.apply({ ...at, as: 'batch-secret-3', manners: unknown })]);
});

test('within the rotation of an authority, the services of its present step are reached', async () => {
  const [ca, db] = ['generated/default/shop/ca/internal', 'generated/default/shop/certificate/db'];
  await kept.store.ensureGenerated(
    db,
    await createMaker(kept.store, db, { generate: 'certificate', ca: 'internal', names: ['a.b'] }),
  );
  const service = (taskserv: string, $secret: string) => ({ [taskserv]: { taskserv, config: { text: { $secret } } } });
  const server = (name: string, services: object) => ({ [name]: { name, provider: 'demo', services } });
  const servers = {
    ...server('db', service('postgres', `${db}/key`)),
    ...server('hub', service('prometheus', `${ca}/certificate`)),
    ...server('kv', service('etcd', `${db}/authority`)),
  };
  const inventory = async () => ({ infra: 'shop', servers, definition: { servers: [] } });
  const { client, batches } = platform(undefined, temporalOfInfras({ list: async () => ['shop'], inventory }));
  const place = { workspace, name: ca };
  const reached = async (as: string) => {
    await client.secrets.apply({ ...place, as });
    return (batches.at(-1) as { pages: { taskservs: string[] }[][] }).pages[0]?.[0]?.taskservs;
  };
  expect(await reached('batch-secret-1')).toEqual(['etcd', 'postgres', 'prometheus']);
  await client.secrets.rotate(place);
  expect(await reached('batch-secret-2')).toEqual(['etcd', 'prometheus']);
  await client.secrets.rotate({ ...place, step: 'next' });
  expect(await reached('batch-secret-3')).toEqual(['etcd', 'postgres', 'prometheus']);
  await client.secrets.rotate({ ...place, step: 'next' });
  expect(await reached('batch-secret-4')).toEqual(['etcd', 'postgres', 'prometheus']);
});

test('without a service that uses it nothing is started', async () => {
  const { client, batches } = platform();
  await client.secrets.set({ workspace, name: 'unused', value: 'x' });
  expect(await client.secrets.apply({ workspace, name: 'unused', as: 'batch-secret-1' })).toEqual({ infras: [] });
  expect(batches).toEqual([]);
});

test('what is unknown, what a provider gives, and the id of a preview are refused', async () => {
  const { client, batches } = platform();
  await client.secrets.set({ workspace, name: 'hetzner/prod/token', value: 'x' });
  await allRefused('unknown-secret', [client.secrets.apply({ ...at, as: 'batch-secret-1' })]);
  await allRefused('bad-request', [client.secrets.apply({ workspace, name: 'hetzner/prod/token', as: 'batch-secret-1' })]);
  await allRefused('preview-id', [client.secrets.apply({ ...at, as: 'cluster-check-1' })]);
  expect(batches).toEqual([]);
});

test('who may submit batches learns nothing of secrets without the right to read them', async () => {
  const asked: unknown[] = [];
  const may: Principal['may'] = (action, { type, id }) => asked.push([action, type, id]) > 0 && action === 'batch:submit';
  const { client, batches } = platform({ actor: 'eve@desk', may });
  await kept.store.within({ workspace }).set(at.name, 'one');
  await expect(client.secrets.apply({ ...at, as: 'batch-secret-1' })).rejects.toMatchObject(failure('forbidden'));
  expect(asked).toEqual([
    ['batch:submit', 'Workspace', 'default'],
    ['secret:read', 'Secret', 'default//redis-password'],
  ]);
  expect(batches).toEqual([]);
});
