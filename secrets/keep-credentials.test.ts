import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AnyProvider } from '../core/machine/provider.js';
import { FileSecretStore } from '../stores/files/file-secret-store.js';
import { testText } from '../test/support/private-text.js';
import { accountsAmong, keepCredentials } from './keep-credentials.js';

const providers = {
  cloud: {
    name: 'cloud',
    variables: { CLOUD_TOKEN: 'token', CLOUD_USER: 'user', CLOUD_PASSWORD: 'password' },
  } as unknown as AnyProvider,
  local: { name: 'local' } as AnyProvider,
};

test('credentials of an environment are kept for the accounts that are meant, each time those of the last', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'credentials-'));
  try {
    const secrets = new FileSecretStore(folder, {}, testText);
    const keep = (env: Record<string, string>, ...accounts: string[]) => keepCredentials(secrets, env, providers, accounts);
    const kept = async () => Promise.all((await secrets.list()).map(async (name) => `${name}=${await secrets.get(name)}`));

    expect(await keep({ CLOUD_TOKEN: 'a', CLOUD_TOKEN_PROD: 'b' }, 'cloud/prod', 'local', 'nobody')).toEqual(['cloud/prod']);
    expect(await kept()).toEqual(['cloud/prod/token=b']);
    expect(await keep({ CLOUD_TOKEN_PROD: 'b' }, 'cloud/prod')).toEqual([]);
    expect(await keep({ CLOUD_TOKEN: 'a' }, 'cloud', 'cloud/prod')).toEqual(['cloud']);
    expect(await keep({ CLOUD_USER: 'ann', CLOUD_PASSWORD: 'x' }, 'cloud')).toEqual(['cloud']);
    expect(await kept()).toEqual(['cloud/default/password=x', 'cloud/default/user=ann', 'cloud/prod/token=b']);
    await secrets.set('redis-password', 'y');
    await secrets.set('generated/default/shop', 'z');
    expect(accountsAmong(await secrets.list())).toEqual(['cloud/default', 'cloud/prod']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
