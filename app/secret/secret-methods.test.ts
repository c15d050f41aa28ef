import { describe, expect, test } from 'vitest';
import { allRefused, at, clientOf, failure, kept, temporal, withSecretHome, workspace } from '../../test/support/secret-client.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { createOwner } from '../principal.js';

withSecretHome();

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
    expect(await secrets.rollback({ ...at, to: 1 })).toEqual({ scope: 'workspace', version: 3, more: [] });
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

  test('of a group is made by its members: it is not set, and not in an export', async () => {
    const { secrets } = clientOf();
    const name = 'group-share/etcd/main/token-1/f00-9999999999';
    const own = { workspace, infra: 'shop', name };
    await expect(secrets.set({ ...own, value: 'mine' })).rejects.toMatchObject(failure('bad-request'));
    await expect(secrets.import({ workspace, infra: 'shop', values: { [name]: 'mine' } })).rejects.toMatchObject(
      failure('bad-request'),
    );
    await kept.store.within({ workspace, infra: 'shop' }).set(name, 'made');
    await secrets.set({ ...at, infra: 'shop', value: 'one' });
    expect(await secrets.export({ workspace, infra: 'shop' })).toEqual({ 'redis-password': 'one' });
    await expect(secrets.rotate({ ...own, value: 'mine' })).rejects.toMatchObject(failure('bad-request'));
    await expect(secrets.rollback({ ...own, to: 1 })).rejects.toMatchObject(failure('bad-request'));
  });

  test('is imported with others, none before all are checked', async () => {
    const { secrets } = clientOf();
    await secrets.set({ workspace, name: 'a', value: '1' });
    const values = { a: '1', b: '2' };
    expect(await secrets.import({ workspace, values, check: true })).toEqual([
      { name: 'a', change: 'same', scope: 'workspace' },
      { name: 'b', change: 'new', scope: 'workspace' },
    ]);
    const token = { 'hetzner/prod/token': '3' };
    await expect(secrets.import({ workspace, values: { ...values, ...token } })).rejects.toMatchObject(failure('bad-request'));
    expect(await secrets.import({ workspace, shared: true, values: token })).toMatchObject([{ change: 'new', scope: 'account' }]);
    await expect(secrets.import({ workspace, values: { b: '2', '..': 'x' } })).rejects.toMatchObject(failure('secret-name'));
    await expect(secrets.import({ workspace, values: { b: '2', 'generated/default/shop/p': 'x' } })).rejects.toMatchObject(
      failure('bad-request'),
    );
    expect((await secrets.list({ workspace })).map(({ name }) => name)).toEqual(['a', 'hetzner/prod/token']);
    await secrets.import({ workspace, values });
    expect((await secrets.list({ workspace })).map(({ name }) => name)).toEqual(['a', 'b', 'hetzner/prod/token']);
  });
});

test.each([
  ['secret-name', { workspace, name: '../keys' }],
  ['secret-scope', { workspace: 'w'.repeat(41), name: 'a' }],
  ['secret-scope', { workspace, name: 'a', infra: 'a/b' }],
  ['bad-request', { workspace, name: 'a', infra: 'shop', shared: true }],
  ['bad-request', { workspace, name: 'hetzner/prod/token', infra: 'shop' }],
  ['bad-request', { workspace, name: 'generated/default/shop/redis.password', shared: true }],
  ['unknown-secret', { workspace, name: 'generated/other/shop/redis.password' }],
  ['unknown-secret', { workspace, name: 'a' }],
])('%s: %j is refused by each method of one secret', async (code, input) => {
  const { secrets } = clientOf();
  const { get, history, access, usage, rotate } = secrets;
  await allRefused(code, [
    ...[get, history, access, usage, rotate].map((ask) => ask(input)),
    ...[secrets.delete(input), secrets.rollback({ ...input, to: 1 })],
    // A secret that is not set yet may be set.
    ...(code === 'unknown-secret' && input.name === 'a' ? [] : [secrets.set({ ...input, value: 'x' })]),
  ]);
});

test('another workspace sees none of it', async () => {
  const { secrets } = clientOf();
  await secrets.set({ ...at, value: 'one' });
  expect(await secrets.list({ workspace: 'other' })).toEqual([]);
  await expect(secrets.get({ ...at, workspace: 'other', reveal: true })).rejects.toMatchObject(failure('unknown-secret'));
});

test('a process without a worker beside its stores cannot open secrets', async () => {
  const engine = { temporal: temporal(), stores: {} } as unknown as Engine;
  const dispatcher = createDispatcher({ engine, principal: createOwner('ann@desk') });
  await expect(dispatcher.call('secrets.list', { workspace })).rejects.toMatchObject(failure('no-worker'));
});
