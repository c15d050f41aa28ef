import { beforeEach, describe, expect, test } from 'vitest';
import { homeOf } from '../../home/home.js';
import { openSecrets } from '../../stores/open-secrets.js';
import { allRefused, at, clientOf, failure, kept, withSecretHome, workspace } from '../../test/support/secret-client.js';
import type { Principal } from '../principal.js';

withSecretHome();

test('permissions distinguish reading from revealing, and name the infra', async () => {
  const asked: unknown[] = [];
  const may: Principal['may'] = (action, { type, id, workspace, infra }) => {
    // After a refusal, a further query checks whether the caller may know that the secret exists.
    if (action !== 'secret:read' || asked.length === 0) asked.push([action, type, id, workspace, infra]);
    return action === 'secret:read';
  };
  const { secrets } = clientOf({ actor: 'eve@desk', may });
  await kept.store.within({ workspace, infra: 'shop' }).set('a/b', 'one');
  const shop = { workspace, infra: 'shop', name: 'a/b' };
  await secrets.get(shop);
  await allRefused('forbidden', [
    secrets.get({ ...shop, reveal: true }),
    secrets.set({ ...shop, value: 'x' }),
    secrets.export({ workspace }),
  ]);
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
  await kept.store.set('hetzner/prod/token', 'one');
  await kept.store.set('everyone', 'two');
  const credential = { workspace, name: 'hetzner/prod/token' };
  const everyone = { workspace, name: 'everyone', shared: true };
  await allRefused('unknown-secret', [
    secrets.get({ ...credential, reveal: true }),
    secrets.set({ ...credential, value: 'x' }),
    secrets.delete(credential),
    secrets.get({ ...everyone, reveal: true }),
    secrets.set({ ...everyone, value: 'x' }),
    secrets.import({ workspace, shared: true, values: { 'hetzner/prod/token': 'x' } }),
    secrets.export({ workspace, shared: true }),
  ]);
  expect([await kept.store.get('hetzner/prod/token'), await kept.store.get('everyone')]).toEqual(['one', 'two']);
  expect(await secrets.set({ workspace, name: 'own', value: 'x' })).toEqual({ scope: 'workspace' });
});

test('an ordinary secret of three parts belongs to its workspace', async () => {
  const asked: unknown[] = [];
  const { secrets } = clientOf({ actor: 'eve@desk', may: (_, { workspace, infra }) => asked.push([workspace, infra]) > 0 });
  await secrets.set({ workspace, infra: 'shop', name: 'tls/web/key', value: 'x' });
  expect(asked).toEqual([[workspace, 'shop']]);
});

test('a right to what all share shows nothing of a workspace', async () => {
  const may: Principal['may'] = (_, { workspace }) => workspace === undefined;
  const { secrets } = clientOf({ actor: 'eve@desk', may });
  await kept.store.set('everyone', 'two');
  await kept.store.within({ workspace }).set('everyone-else', 'one');
  const everyone = { workspace, name: 'everyone', shared: true };
  expect(await secrets.get(everyone)).toEqual({ scope: 'shared' });
  await expect(secrets.usage(everyone)).rejects.toMatchObject(failure('forbidden'));
  await expect(secrets.rotate({ ...everyone, value: 'x' })).rejects.toMatchObject(failure('forbidden'));
  const error = await secrets.get({ ...everyone, name: 'everyone-els' }).catch((thrown: unknown) => thrown);
  expect(JSON.stringify(error)).not.toContain('everyone-else');
  expect(await kept.store.get('everyone')).toBe('two');
});

test('a secret that the environment sets is not rotated: the new value would not be used', async () => {
  const env = { PROVISIONING_HOME: kept.place, PROVISIONING_SECRET_EVERYONE: 'from outside' };
  await kept.store.set('everyone', 'two');
  const opened = await openSecrets(homeOf(env), env);
  const { secrets } = clientOf(undefined, opened.secrets);
  const everyone = { workspace, name: 'everyone', shared: true };
  await expect(secrets.rotate({ ...everyone, value: 'x' })).rejects.toMatchObject(failure('bad-request'));
  await opened.close();
  expect(await kept.store.get('everyone')).toBe('two');
});

describe('a generated pair', () => {
  const ca = 'generated/default/shop/ca/internal';
  beforeEach(async () => {
    const { createMaker } = await import('../../secrets/generate/makers.js');
    await kept.store.ensureGenerated(ca, await createMaker(kept.store, ca, { generate: 'ca', name: 'internal' }));
  });

  test('changes as a whole, and stays what it is', async () => {
    const { secrets } = clientOf();
    const part = { workspace, name: `${ca}/certificate` };
    expect((await secrets.get({ ...part, reveal: true })).value).toMatch(/BEGIN CERTIFICATE/);
    const before = await kept.store.get(ca);
    await allRefused('bad-request', [
      secrets.set({ ...part, value: 'x' }),
      secrets.set({ workspace, name: ca, value: 'x' }),
      secrets.delete(part),
      secrets.rollback({ ...part, to: 1 }),
      secrets.rotate(part),
      secrets.rotate({ workspace, name: ca, recipe: { generate: 'password' } }),
    ]);
    expect(await kept.store.get(ca)).toBe(before);
    expect(await secrets.rotate({ workspace, name: ca })).toMatchObject({ version: 2 });
  });

  test('is made by no other name', async () => {
    const { secrets } = clientOf();
    await secrets.set({ ...at, value: 'one' });
    const recipe = { generate: 'certificate' as const, ca: 'x', names: ['a.example.org'] };
    await expect(secrets.rotate({ ...at, recipe })).rejects.toMatchObject(failure('bad-request'));
    expect((await kept.store.list()).filter((name) => !name.startsWith(ca))).toEqual([]);
  });
});

test('a generated secret belongs to the infra of its name', async () => {
  const asked: unknown[] = [];
  const may: Principal['may'] = (_, { infra }) => asked.push(infra) > 0 && infra === 'hub';
  const { secrets } = clientOf({ actor: 'eve@desk', may });
  const name = 'generated/default/shop/redis.password';
  await expect(secrets.get({ workspace, name, reveal: true })).rejects.toMatchObject(failure('unknown-secret'));
  expect(new Set(asked)).toEqual(new Set(['shop']));
});
