import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FileSecretStore } from '../stores/files/file-secret-store.js';
import { testText } from '../test/support/private-text.js';
import { infraSecrets, secretNamesOf } from './infra-secrets.js';

const SHOP = { workspace: 'w', infra: 'shop' };
const providers = { hetzner: { variables: { HCLOUD_TOKEN: 'token' } }, local: {} };

let folder: string;
let store: FileSecretStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'infra-secrets-'));
  store = new FileSecretStore(folder, { PROVISIONING_SECRET_GIVEN: 'from-outside' }, testText);
});
afterEach(() => rm(folder, { recursive: true }));

const get = (name: string, infra = SHOP) => infraSecrets(store, infra, providers).get(name);

describe('a definition', () => {
  test('finds the secret of its infra, then of its workspace, then the shared one', async () => {
    expect(await get('pw')).toBeUndefined();
    // As it was set before there were scopes.
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
    const made = await infraSecrets(store, SHOP, providers).ensureGenerated(own);
    expect(await get(own)).toBe(made);
    for (const name of ['generated/w/other/redis.password', 'generated/v/shop/redis.password', 'generated/w/shop', 'generated/x']) {
      await expect(get(name)).rejects.toMatchObject({ details: { code: 'secret-out-of-reach' } });
      await expect(infraSecrets(store, SHOP, providers).ensureGenerated(name)).rejects.toThrow('another infra');
    }
    await expect(infraSecrets(store, { workspace: 'w', infra: 'sho' }, providers).get(own)).rejects.toThrow('another infra');
  });
});

test('loading knows which secrets are set for which infra', async () => {
  await store.set('shared', 'x');
  await store.within({ workspace: 'w' }).set('wide', 'x');
  await store.within(SHOP).set('narrow', 'x');
  const names = await secretNamesOf(store, 'w', { PROVISIONING_SECRET_GIVEN: 'x' });
  const has = (infra: string) => ['shared', 'wide', 'narrow', 'given', 'gone'].filter((name) => names.has(name, infra));
  expect(has('shop')).toEqual(['shared', 'wide', 'narrow', 'given']);
  expect(has('other')).toEqual(['shared', 'wide', 'given']);
  const others = await secretNamesOf(store, 'v', {});
  expect(['shared', 'wide', 'narrow', 'given'].filter((name) => others.has(name, 'shop'))).toEqual(['shared']);
});
