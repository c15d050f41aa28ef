import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../test/support/temporary-folder.js';
import { isLocal, readConfiguredService } from './temporal-service.js';

const emptyHome = () => makeFolder('configured');

test('nothing configured is nothing found', async () => {
  expect(await readConfiguredService({ HOME: await emptyHome() })).toBeUndefined();
});

test('an address with an API key is connected to by TLS', async () => {
  const service = await readConfiguredService({
    HOME: await emptyHome(),
    TEMPORAL_ADDRESS: 'temporal.example:7233',
    TEMPORAL_API_KEY: 'k',
    TEMPORAL_NAMESPACE: 'team',
  });
  expect(service).toMatchObject({ address: 'temporal.example:7233', namespace: 'team', connection: { apiKey: 'k', tls: true } });
});

test('a profile of the configuration file is read; one that is missing is an input error', async () => {
  const home = await emptyHome();
  await mkdir(join(home, '.config/temporalio'), { recursive: true });
  await writeFile(join(home, '.config/temporalio/temporal.toml'), '[profile.team]\naddress = "team.example:7233"\n');
  expect((await readConfiguredService({ HOME: home, TEMPORAL_PROFILE: 'team' }))?.address).toBe('team.example:7233');
  const error = await readConfiguredService({ HOME: home, TEMPORAL_PROFILE: 'other' }).catch((thrown) => thrown);
  expect(error.details).toMatchObject({ code: 'temporal-config', blame: 'user' });
});

test("the home's own server named for another tool is not a stranger", () => {
  expect(isLocal('localhost:20100', 20_100)).toBe(true);
  expect(isLocal('127.0.0.1:20101', 20_100)).toBe(false);
  expect(isLocal('elsewhere:20100', 20_100)).toBe(false);
});
