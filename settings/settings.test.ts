import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeOf } from '../home/home.js';
import { makeFolder } from '../test/support/temporary-folder.js';
import { editStore, resolveEnvironment, settingsFile } from './settings.js';
import { allowsThisHost, allowThisHost } from './this-host.js';

async function settled(text: string | undefined, env: NodeJS.ProcessEnv = {}) {
  const home = homeOf({ PROVISIONING_HOME: await makeFolder('settings') });
  if (text !== undefined) await writeFile(join(home.root, 'settings.yaml'), text);
  return resolveEnvironment(home, env);
}

test('a home without settings leaves the environment as it is', async () => {
  expect(await settled(undefined, { A: 'b' })).toEqual({ A: 'b' });
  expect(await settled('# nothing yet\n', { A: 'b' })).toEqual({ A: 'b' });
});

test('settings stand where the environment says nothing', async () => {
  const text = 'profile: team\nstore: postgres://db.example/provisioning\n';
  expect(await settled(text, { PROVISIONING_STORE: 'postgres://mine/x' })).toEqual({
    TEMPORAL_PROFILE: 'team',
    PROVISIONING_STORE: 'postgres://mine/x',
  });
});

test('an address in the environment is not connected to with the profile of the settings', async () => {
  expect(await settled('profile: team\n', { TEMPORAL_ADDRESS: 'other:7233' })).toEqual({ TEMPORAL_ADDRESS: 'other:7233' });
});

test.each([
  ['profil: team\n', 'settings.yaml:1', 'profile'],
  ['profile: a\n\nstore: [x]\n', 'settings.yaml:3', undefined],
  ['profile: "a\n', 'settings.yaml:2', undefined],
  ['- a\n', 'settings.yaml', undefined],
  ['profile: true\n', 'settings.yaml:1', undefined],
])('says where %j is wrong', async (text, place, hint) => {
  const error = await settled(text).catch((thrown) => thrown);
  expect(error.details).toMatchObject({ code: 'bad-settings', blame: 'user', on: expect.stringMatching(`${place}$`) });
  if (hint) expect(error.details.hint).toContain(hint);
});

test('definitions may name this machine only where the home or the environment says so', async () => {
  const home = homeOf({ PROVISIONING_HOME: await makeFolder('settings') });
  expect(await allowsThisHost(home, {})).toBe(false);
  expect(await allowsThisHost(home, { PROVISIONING_ALLOW_THIS_HOST: '1' })).toBe(true);
  const former = join(home.root, 'settings.yaml');
  await writeFile(former, '# of the team\nprofile: team\n');
  await allowThisHost(home);
  expect(await readFile(former, 'utf8')).toBe('# of the team\nprofile: team\nallowThisHost: true\n');
  expect(await allowsThisHost(home, {})).toBe(true);
  expect(await allowsThisHost(home, { PROVISIONING_ALLOW_THIS_HOST: '0' })).toBe(false);
  await rm(former);
  expect(await allowsThisHost(home, {})).toBe(false);
  await allowThisHost(home);
  expect(await readFile(settingsFile(home), 'utf8')).toBe('worker:\n  allowThisHost: true\n');
  expect(await allowsThisHost(home, {})).toBe(true);
});

test.each(['config.yaml', 'config.json', 'config.toml', 'settings.yaml'])(
  '%s that says nothing gets another store',
  async (name) => {
    const text = await editStore(name, name === 'config.json' ? '{}' : '', 'postgres://db.example/team');
    expect(text).toContain('postgres://db.example/team');
    expect((await editStore(name, text, undefined)).replace(/[{}\s]/g, '')).toBe('');
  },
);
