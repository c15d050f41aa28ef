import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FileSecretStore } from '../stores/files/file-secret-store.js';
import { testText } from '../test/support/private-text.js';
import { infraSecrets } from './infra-secrets.js';

const SHOP = { workspace: 'w', infra: 'shop' };
const providers = { hetzner: { variables: { HCLOUD_TOKEN: 'token' } }, local: {} };

let folder: string;
let store: FileSecretStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'infra-secrets-'));
  store = new FileSecretStore(folder, { PROVISIONING_SECRET_GIVEN: 'from-outside' }, testText);
});
afterEach(() => rm(folder, { recursive: true }));

const secretsFor = (infra = SHOP, reader = { operation: 'op', host: 'web-1' }) =>
  infraSecrets(store, infra, providers, () => reader);
const get = (name: string, infra = SHOP) => secretsFor(infra).get(name);

describe('a definition', () => {
  test('finds the secret of its infra, then of its workspace, then the shared one', async () => {
    expect(await get('pw')).toBeUndefined();
    // Like a value that was set before scopes existed.
    await store.set('pw', 'shared');
    expect(await get('pw')).toBe('shared');
    await store.within({ workspace: 'w' }).set('pw', 'wide');
    expect(await get('pw')).toBe('wide');
    await store.within(SHOP).set('pw', 'narrow');
    expect(await get('pw')).toBe('narrow');
    expect(await get('pw', { workspace: 'w', infra: 'other' })).toBe('wide');
    expect(await get('pw', { workspace: 'v', infra: 'shop' })).toBe('shared');
  });

  test('finds no secret of another workspace or infra', async () => {
    await store.within(SHOP).set('of-infra', 'x');
    await store.within({ workspace: 'w' }).set('of-workspace', 'x');
    expect(await get('of-infra', { workspace: 'w', infra: 'other' })).toBeUndefined();
    expect(await get('of-workspace', { workspace: 'v', infra: 'shop' })).toBeUndefined();
  });

  test('takes a value of the environment for a shared one', async () => {
    expect(await get('given')).toBe('from-outside');
    await store.within(SHOP).set('given', 'narrow');
    expect(await get('given')).toBe('narrow');
  });

  test.each(['hetzner/default/token', 'hetzner/prod/anything'])('is given no credential of an account: %s', async (name) => {
    await store.set(name, 'x');
    await expect(get(name)).rejects.toMatchObject({ details: { code: 'secret-out-of-reach', on: name, blame: 'user' } });
  });

  test('is given what was generated for its infra, and for no other', async () => {
    const own = 'generated/w/shop/redis.password';
    const made = await secretsFor().give(own);
    expect(await get(own)).toBe(made);
    for (const name of ['generated/w/other/redis.password', 'generated/v/shop/redis.password', 'generated/w/shop', 'generated/x']) {
      await expect(get(name)).rejects.toMatchObject({ details: { code: 'secret-out-of-reach' } });
      await expect(secretsFor().give(name)).rejects.toThrow('another infra');
    }
    await expect(get(own, { workspace: 'w', infra: 'sho' })).rejects.toThrow('another infra');
  });
});

test('who is given a secret is kept where it was found, the first time for each operation and host', async () => {
  await store.within({ workspace: 'w' }).set('pw', 'wide');
  const at = expect.any(String);
  for (const host of ['web-1', 'web-2', 'web-1']) await secretsFor(SHOP, { operation: 'op-1', host }).give('pw');
  await get('pw');
  await secretsFor(SHOP, { operation: 'op-2', host: 'web-1' }).give('pw');
  expect(await secretsFor().give('gone')).toBeUndefined();
  expect(await store.within({ workspace: 'w' }).reads('pw')).toEqual([
    { at, how: 'operation', by: 'op-1', host: 'web-1', ...SHOP },
    { at, how: 'operation', by: 'op-1', host: 'web-2', ...SHOP },
    { at, how: 'operation', by: 'op-2', host: 'web-1', ...SHOP },
  ]);
  expect([await store.reads('pw'), await store.within(SHOP).reads('pw'), await store.reads('gone')]).toEqual([[], [], []]);
});

test('a secret of which nobody can keep who reads it is not given', async () => {
  await store.set('pw', 'shared');
  await writeFile(join(folder, '.reads'), '');
  await expect(secretsFor().give('pw')).rejects.toThrow();
});
