import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { homeOf } from '../../home/home.js';
import { noEngine, useSecrets } from '../../test/support/home-secrets.js';
import { clientOf, withSecretHome } from '../../test/support/secret-client.js';
import { readSecretNames } from './secret-names.js';

withSecretHome();

let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'secret-names-'));
});
afterEach(() => rm(place, { recursive: true }));

const namesFor = (env: NodeJS.ProcessEnv, client: () => Promise<ReturnType<typeof clientOf>>, workspace = 'default') =>
  readSecretNames({ home: homeOf({ PROVISIONING_HOME: place }), env, client, workspace });

test('loading asks the worker which secrets are set for which infra', async () => {
  const client = clientOf();
  await client.secrets.set({ workspace: 'default', name: 'shared', shared: true, value: 'x' });
  await client.secrets.set({ workspace: 'default', name: 'wide', value: 'x' });
  await client.secrets.set({ workspace: 'default', infra: 'shop', name: 'narrow', value: 'x' });
  const all = ['shared', 'wide', 'narrow', 'given', 'gone'];
  const names = await namesFor({ PROVISIONING_SECRET_GIVEN: 'x' }, async () => client);
  expect(all.filter((name) => names.has(name, 'shop'))).toEqual(['shared', 'wide', 'narrow', 'given']);
  expect(all.filter((name) => names.has(name, 'other'))).toEqual(['shared', 'wide', 'given']);
  expect(names.warningsFor('infra.yaml')).toEqual([]);
  const others = await namesFor({}, async () => client, 'other');
  expect(all.filter((name) => others.has(name, 'shop'))).toEqual(['shared']);
});

test('a home on this machine answers itself if no worker runs', async () => {
  const env = { PROVISIONING_HOME: place };
  await useSecrets({ home: homeOf(env), env }, (secrets) => secrets.within({ workspace: 'default' }).set('own', 'x'));
  const names = await namesFor({}, noEngine);
  expect([names.has('own', 'shop'), names.has('gone', 'shop'), names.warningsFor('infra.yaml')]).toEqual([true, false, []]);
});

test('if the worker of a team does not answer, names count as set, and a warning lists those that were asked for', async () => {
  const env = { PROVISIONING_STORE: 'postgres://nobody@127.0.0.1:1/none', PROVISIONING_SECRET_GIVEN: 'x' };
  const names = await namesFor(env, noEngine);
  expect(names.warningsFor('infra.yaml')).toEqual([]);
  expect(['b', 'a', 'given', 'b'].map((name) => names.has(name, 'shop'))).toEqual([true, true, true, true]);
  expect(names.warningsFor('infra.yaml')).toMatchObject([
    { file: 'infra.yaml', line: 1, path: '', message: expect.stringMatching(/these secrets are set: a, b: .*this test has none/) },
  ]);
});

test('whoever may not list secrets gets the same warning', async () => {
  const names = await namesFor({}, async () => clientOf({ actor: 'eve@desk', may: () => false }));
  expect(names.has('pw', 'shop')).toBe(true);
  expect(names.warningsFor('infra.yaml')[0]?.message).toContain('it does not exist, or you may not read it');
});
