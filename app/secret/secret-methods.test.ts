import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { msToTs } from '@temporalio/common/lib/time.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Client, clientOver } from '../../client/client.js';
import { homeOf } from '../../home/home.js';
import { openSecrets } from '../../stores/open-secrets.js';
import type { SecretStore } from '../../stores/secrets.js';
import { dispatcherOf } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { ownerOf, type Principal } from '../principal.js';

const DEFINED = {
  shop: {
    infra: 'shop',
    servers: {
      'web-1': {
        name: 'web-1',
        provider: 'demo',
        services: { redis: { taskserv: 'redis', config: { password: { $secret: 'redis-password' } } } },
      },
    },
    definition: {
      servers: [{ name: 'web-2', taskservs: [{ name: 'redis', config: { password: { $secret: 'redis-password' } } }] }],
    },
  },
  hub: { infra: 'hub', servers: { a: { name: 'a', provider: 'hetzner/prod', services: {} } }, definition: { servers: [] } },
};

let place: string;
let store: SecretStore;
let close: () => Promise<void>;
beforeEach(async () => {
  place = mkdtempSync(join(tmpdir(), 'secret-methods-'));
  const opened = await openSecrets(homeOf({ PROVISIONING_HOME: place }), { PROVISIONING_HOME: place });
  store = opened.secrets;
  close = opened.close;
});
afterEach(async () => {
  await close();
  rmSync(place, { recursive: true });
});

/** Entities of two infras, as Temporal lists and answers for them. */
function temporal() {
  const executions = Object.keys(DEFINED).map((infra) => ({
    execution: { workflowId: `infra/default/${infra}`, runId: 'r' },
    type: { name: 'infra' },
    ...{ status: 1, startTime: msToTs(1_000), taskQueue: 'q', historyLength: msToTs(1_000).seconds, searchAttributes: {} },
  }));
  return {
    options: { namespace: 'n', loadedDataConverter: undefined },
    workflowService: { listWorkflowExecutions: async () => ({ executions }) },
    workflow: { getHandle: (id: string) => ({ query: async () => DEFINED[id.split('/').at(-1) as keyof typeof DEFINED] }) },
  };
}

function clientOf(principal: Principal = ownerOf('ann@desk'), secrets: SecretStore | undefined = store): Client {
  const engine = { temporal: temporal(), stores: { ...(secrets && { secrets }) } } as unknown as Engine;
  return clientOver({ ...dispatcherOf({ engine, principal, checksAnswers: true }), close: async () => {} });
}

const workspace = 'default';
const at = { workspace, name: 'redis-password' };
const failure = (code: string) => ({ details: expect.objectContaining({ code }) });

describe('a secret', () => {
  test('is set for a workspace, an infra or all, and listed without its value', async () => {
    const { secrets } = clientOf();
    expect(await secrets.set({ ...at, value: 'one' })).toEqual({ scope: 'workspace' });
    expect(await secrets.set({ ...at, infra: 'shop', value: 'two' })).toEqual({ scope: 'infra' });
    expect(await secrets.set({ ...at, shared: true, value: 'three' })).toEqual({ scope: 'shared' });
    expect(await secrets.set({ workspace, name: 'hetzner/prod/token', value: 'four' })).toEqual({ scope: 'account' });
    const listed = await secrets.list({ workspace });
    expect(listed).toEqual([
      { name: 'hetzner/prod/token', scope: 'account' },
      { name: 'redis-password', scope: 'workspace' },
      { name: 'redis-password', scope: 'infra', infra: 'shop' },
      { name: 'redis-password', scope: 'shared' },
    ]);
    expect(JSON.stringify(listed)).not.toMatch(/one|two|three|four/);
  });

  test('is returned only with reveal, and the read is recorded with its reader', async () => {
    const { secrets } = clientOf();
    await secrets.set({ ...at, value: 'one' });
    expect(await secrets.get(at)).toEqual({ scope: 'workspace' });
    expect((await secrets.access(at).catch((error) => error)) as unknown).toEqual({ scope: 'workspace', reads: [] });
    expect(await secrets.get({ ...at, reveal: true })).toEqual({ scope: 'workspace', value: 'one' });
    expect(await secrets.export({ workspace })).toEqual({ 'redis-password': 'one' });
    expect(await secrets.access(at)).toEqual({
      scope: 'workspace',
      reads: [
        { at: expect.any(String), by: 'ann@desk', how: 'secret export' },
        { at: expect.any(String), by: 'ann@desk', how: 'secret get' },
      ],
    });
  });

  test('has versions, and an earlier one becomes the newest', async () => {
    const { secrets } = clientOf();
    await secrets.set({ ...at, value: 'one' });
    await secrets.set({ ...at, value: 'two' });
    expect(await secrets.rollback({ ...at, to: 1 })).toEqual({ scope: 'workspace', version: 3 });
    expect(await secrets.get({ ...at, reveal: true })).toMatchObject({ value: 'one' });
    expect((await secrets.history(at)).versions.map(({ version, by, how }) => [version, by, how])).toEqual([
      [3, 'ann@desk', 'rolled back to 1'],
      [2, 'ann@desk', 'secret set'],
      [1, 'ann@desk', 'secret set'],
    ]);
    await expect(secrets.rollback({ ...at, to: 9 })).rejects.toMatchObject(failure('unknown-version'));
  });

  test('is used by the infras that name it, unless they have their own', async () => {
    const { secrets } = clientOf();
    await secrets.set({ ...at, value: 'one' });
    const use = { infra: 'shop', places: ['redis on web-1', 'redis on web-2'], services: [{ server: 'web-1', taskserv: 'redis' }] };
    expect(await secrets.usage(at)).toEqual({ scope: 'workspace', uses: [use] });
    await secrets.set({ ...at, infra: 'shop', value: 'two' });
    expect((await secrets.usage(at)).uses).toEqual([]);
    expect((await secrets.usage({ ...at, infra: 'shop' })).uses).toEqual([use]);
    await secrets.set({ workspace, name: 'hetzner/prod/token', value: 'four' });
    expect((await secrets.usage({ workspace, name: 'hetzner/prod/token' })).uses).toEqual([
      { infra: 'hub', places: ['a'], services: [] },
    ]);
  });

  test('is rotated: a check changes nothing, a generated value is made, and the services that need it are named', async () => {
    const { secrets } = clientOf();
    await secrets.set({ ...at, value: 'one' });
    expect(await secrets.rotate({ ...at, check: true })).toMatchObject({ more: [], uses: [{ infra: 'shop' }] });
    await expect(secrets.rotate(at)).rejects.toMatchObject(failure('bad-request'));
    expect(await secrets.rotate({ ...at, value: 'two' })).toMatchObject({ version: 2 });
    expect(await secrets.rotate({ ...at, recipe: { generate: 'password', length: 20 } })).toMatchObject({ version: 3 });
    const { value } = await secrets.get({ ...at, reveal: true });
    expect(value).toHaveLength(20);
    expect(await secrets.rotate(at)).toMatchObject({ version: 4 });
    expect((await secrets.get({ ...at, reveal: true })).value).not.toBe(value);
  });

  test('is deleted, after which it is unknown, and the nearest name is given', async () => {
    const { secrets } = clientOf();
    await secrets.set({ ...at, value: 'one' });
    await secrets.set({ workspace, name: 'redis-passwort', value: 'one' });
    expect(await secrets.delete(at)).toEqual({ scope: 'workspace' });
    await expect(secrets.delete(at)).rejects.toMatchObject({
      details: { code: 'unknown-secret', hint: expect.stringContaining('redis-passwort') },
    });
  });

  test('is imported with others, none before all are checked', async () => {
    const { secrets } = clientOf();
    await secrets.set({ workspace, name: 'a', value: '1' });
    const values = { a: '1', b: '2', 'hetzner/prod/token': '3' };
    expect(await secrets.import({ workspace, values, check: true })).toEqual([
      { name: 'a', change: 'same', scope: 'workspace' },
      { name: 'b', change: 'new', scope: 'workspace' },
      { name: 'hetzner/prod/token', change: 'new', scope: 'account' },
    ]);
    await expect(secrets.import({ workspace, values: { b: '2', '..': 'x' } })).rejects.toMatchObject(failure('secret-name'));
    await expect(secrets.import({ workspace, values: { b: '2', 'generated/default/shop/p': 'x' } })).rejects.toMatchObject(
      failure('bad-request'),
    );
    expect((await secrets.list({ workspace })).map(({ name }) => name)).toEqual(['a']);
    await secrets.import({ workspace, values });
    expect((await secrets.list({ workspace })).map(({ name }) => name)).toEqual(['a', 'b', 'hetzner/prod/token']);
  });
});

test.each([
  ['secret-name', { workspace, name: '../keys' }],
  ['secret-scope', { workspace: '../other', name: 'a' }],
  ['secret-scope', { workspace, name: 'a', infra: 'a/b' }],
  ['bad-request', { workspace, name: 'a', infra: 'shop', shared: true }],
  ['bad-request', { workspace, name: 'hetzner/prod/token', infra: 'shop' }],
  ['unknown-secret', { workspace, name: 'generated/other/shop/redis.password' }],
  ['unknown-secret', { workspace, name: 'a' }],
])('%s: %j is refused by each method of one secret', async (code, input) => {
  const { secrets } = clientOf();
  for (const ask of [secrets.get, secrets.history, secrets.access, secrets.usage, secrets.delete])
    await expect(ask(input)).rejects.toMatchObject(failure(code));
});

test('another workspace sees none of it', async () => {
  const { secrets } = clientOf();
  await secrets.set({ ...at, value: 'one' });
  expect(await secrets.list({ workspace: 'other' })).toEqual([]);
  await expect(secrets.get({ ...at, workspace: 'other', reveal: true })).rejects.toMatchObject(failure('unknown-secret'));
});

test('permissions distinguish reading from revealing, and name the infra', async () => {
  const asked: unknown[] = [];
  const may: Principal['may'] = (action, { type, id, workspace, infra }) =>
    asked.push([action, type, id, workspace, infra]) > 0 && action === 'secret:read';
  const { secrets } = clientOf({ actor: 'eve@desk', may });
  await store.within({ workspace, infra: 'shop' }).set('a/b', 'one');
  const shop = { workspace, infra: 'shop', name: 'a/b' };
  await secrets.get(shop);
  for (const refused of [
    secrets.get({ ...shop, reveal: true }),
    secrets.set({ ...shop, value: 'x' }),
    secrets.export({ workspace }),
  ])
    await expect(refused).rejects.toMatchObject(failure('forbidden'));
  expect(asked).toEqual([
    ['secret:read', 'Secret', 'default/shop/a/b', 'default', 'shop'],
    ['secret:reveal', 'Secret', 'default/shop/a/b', 'default', 'shop'],
    ['secret:set', 'Secret', 'default/shop/a/b', 'default', 'shop'],
    ['secret:reveal', 'Secret', 'default//*', 'default', undefined],
  ]);
});

test('a right in one workspace gives none to what all workspaces share', async () => {
  const may: Principal['may'] = (_, located) => located.workspace === workspace;
  const { secrets } = clientOf({ actor: 'eve@desk', may });
  await store.set('hetzner/prod/token', 'one');
  await store.set('everyone', 'two');
  const credential = { workspace, name: 'hetzner/prod/token' };
  const everyone = { workspace, name: 'everyone', shared: true };
  for (const refused of [
    secrets.get({ ...credential, reveal: true }),
    secrets.set({ ...credential, value: 'x' }),
    secrets.delete(credential),
    secrets.get({ ...everyone, reveal: true }),
    secrets.set({ ...everyone, value: 'x' }),
    secrets.import({ workspace, values: { own: 'x', 'hetzner/prod/token': 'x' } }),
    secrets.export({ workspace, shared: true }),
  ])
    await expect(refused).rejects.toMatchObject(failure('forbidden'));
  expect([await store.get('hetzner/prod/token'), await store.get('everyone')]).toEqual(['one', 'two']);
  expect(await secrets.set({ workspace, name: 'own', value: 'x' })).toEqual({ scope: 'workspace' });
});

test('a generated secret belongs to the infra of its name', async () => {
  const asked: unknown[] = [];
  const may: Principal['may'] = (_, { infra }) => asked.push(infra) > 0 && infra === 'hub';
  const { secrets } = clientOf({ actor: 'eve@desk', may });
  const name = 'generated/default/shop/redis.password';
  await expect(secrets.get({ workspace, name, reveal: true })).rejects.toMatchObject(failure('forbidden'));
  expect(asked).toEqual(['shop']);
});

test('a process without a worker beside its stores cannot open secrets', async () => {
  const engine = { temporal: temporal(), stores: {} } as unknown as Engine;
  const dispatcher = dispatcherOf({ engine, principal: ownerOf('ann@desk') });
  await expect(dispatcher.call('secrets.list', { workspace })).rejects.toMatchObject(failure('no-worker'));
});
