import { describe, expect, it } from 'vitest';
import { accountIn, accountName, accountsKnown, findCredentials } from './account.js';
import type { AnyProvider } from './provider.js';

const cloud = { name: 'cloud', variables: { CLOUD_TOKEN: 'token', CLOUD_SECRET: 'secret' } } as unknown as AnyProvider;

it('names an account by provider and account, the default one by its provider alone', () => {
  expect(accountIn('cloud/prod')).toEqual({ provider: 'cloud', account: 'prod' });
  expect(accountIn('cloud')).toEqual({ provider: 'cloud', account: 'default' });
  for (const name of ['cloud', 'cloud/prod']) expect(accountName(accountIn(name))).toBe(name);
  expect(accountName(accountIn('cloud/default'))).toBe('cloud');
});

it('says where the credentials of an account are', () => {
  expect(findCredentials(cloud)).toEqual([
    { variable: 'CLOUD_TOKEN', secret: 'cloud/default/token' },
    { variable: 'CLOUD_SECRET', secret: 'cloud/default/secret' },
  ]);
  expect(findCredentials(cloud, 'far-east')[0]).toEqual({ variable: 'CLOUD_TOKEN_FAR_EAST', secret: 'cloud/far-east/token' });
});

describe('the accounts of a provider', () => {
  it('are those of which variables or secrets hold credentials', async () => {
    const env = { CLOUD_TOKEN_FAR_EAST: 'x', CLOUD_TOKEN_EMPTY: '', CLOUD_TOKENS: 'x', OTHER_TOKEN_A: 'x' };
    const secrets = ['cloud/prod/token', 'cloud/x/unrelated', 'cloudy/y/token', 'generated/a/b', 'cloud/a/token/b'];
    expect(await accountsKnown(cloud, env, secrets)).toEqual(['far-east', 'prod']);
    expect(await accountsKnown(cloud, { CLOUD_SECRET: 'x' }, [])).toEqual(['default']);
    expect(await accountsKnown(cloud, {}, [])).toEqual([]);
  });

  it('are also those that its own files name', async () => {
    const accounts = async () => ['prod', 'No Account'];
    expect(await accountsKnown({ ...cloud, accounts }, { CLOUD_TOKEN: 'x' }, [])).toEqual(['default', 'prod']);
  });

  it('are the default one where it needs no credentials', async () => {
    expect(await accountsKnown({ name: 'local' } as AnyProvider, {}, [])).toEqual(['default']);
  });
});
