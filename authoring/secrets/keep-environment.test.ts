import { expect, test } from 'vitest';
import type { Definition } from '../../core/definition/definition.js';
import { homeOf } from '../../home/home.js';
import { clientOf, kept, withSecretHome, workspace } from '../../test/support/secret-client.js';
import { keepCredentials, keepEnvironmentSecrets } from './keep-environment.js';

withSecretHome();

/** Records the calls that a command with this environment makes to a worker. */
function asker(env: NodeJS.ProcessEnv) {
  const notes: string[] = [];
  const calls: string[] = [];
  const { secrets, ...client } = clientOf();
  const noted = new Proxy(secrets, {
    get: (target, verb: keyof typeof secrets) => (input: never) => {
      calls.push(verb);
      return (target[verb] as (input: never) => unknown)(input);
    },
  });
  const context = {
    home: homeOf({ PROVISIONING_HOME: '/nowhere' }),
    env,
    workspace,
    client: async () => ({ ...client, secrets: noted }),
    note: (text: string) => void notes.push(text),
  };
  return { context, notes, calls };
}

const accountsOf = async (env: NodeJS.ProcessEnv, accounts?: string[]) => {
  const { context, notes } = asker(env);
  await keepCredentials(context, accounts);
  return notes.map((note) => /credentials of (\S+)/.exec(note)?.[1]);
};
const all = async () => Promise.all((await kept.store.list()).map(async (name) => `${name}=${await kept.store.get(name)}`));

test('credentials of an environment are kept for the accounts that are meant, each time those of the last', async () => {
  expect(await accountsOf({ HCLOUD_TOKEN: 'a', HCLOUD_TOKEN_PROD: 'b' }, ['hetzner/prod', 'local', 'nobody'])).toEqual([
    'hetzner/prod',
  ]);
  expect(await all()).toEqual(['hetzner/prod/token=b']);
  expect(await accountsOf({ HCLOUD_TOKEN_PROD: 'b' }, ['hetzner/prod'])).toEqual([]);
  // Without accounts: the accounts with stored credentials.
  expect(await accountsOf({ HCLOUD_TOKEN: 'a', HCLOUD_TOKEN_PROD: 'c' })).toEqual(['hetzner/prod']);
  expect(await all()).toEqual(['hetzner/prod/token=c']);
  expect(await accountsOf({ UPCLOUD_TOKEN: 't' }, ['upcloud'])).toEqual(['upcloud']);
  expect(await accountsOf({ UPCLOUD_USERNAME: 'ann', UPCLOUD_PASSWORD: 'x' }, ['upcloud'])).toEqual(['upcloud']);
  expect(await all()).toEqual(['hetzner/prod/token=c', 'upcloud/default/password=x', 'upcloud/default/username=ann']);
});

const definition = {
  workspace,
  infra: 'shop',
  servers: [
    {
      provider: 'demo',
      taskservs: [{ config: { a: { $secret: 'wide' }, b: { $secret: 'narrow' }, c: { $secret: 'not-given' } } }],
    },
  ],
} as unknown as Definition;

test('secrets of an environment are kept where they would be found first, else for the workspace', async () => {
  const shop = kept.store.within({ workspace, infra: 'shop' });
  await shop.set('narrow', 'former');
  const { context } = asker({ PROVISIONING_SECRET_WIDE: '1', PROVISIONING_SECRET_NARROW: '2', PROVISIONING_SECRET_OTHER: '3' });
  await keepEnvironmentSecrets(context, definition);
  expect([await shop.get('narrow'), await kept.store.within({ workspace }).get('wide')]).toEqual(['2', '1']);
  expect(await kept.store.listScoped(workspace)).toEqual([{ name: 'narrow', infra: 'shop' }, { name: 'wide' }]);
  expect((await shop.history('narrow'))[0]).toMatchObject({ by: 'ann@desk', how: 'environment' });
});

test('an environment without secrets and credentials asks nothing', async () => {
  const { context, calls } = asker({ PATH: '/bin', HCLOUD_TOKEN: '' });
  await keepEnvironmentSecrets(context, definition);
  await keepCredentials(context);
  expect(calls).toEqual([]);
});
