import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Home, homeOf } from '../../home/home.js';
import { adoptIdentity, ensureEngineIdentity, readIdentity, rememberPorts } from './identity.js';

let home: Home;
beforeEach(async () => {
  home = homeOf({ PROVISIONING_HOME: await mkdtemp(join(tmpdir(), 'identity-')) });
});
afterEach(() => rm(home.root, { recursive: true, force: true }));
const PORTS = { grpc: 20_001, ui: 20_002, http: 20_003, metrics: 20_004 };

test('is made once, also by several at once, private, and keeps the ports', async () => {
  const made = await Promise.all([1, 2, 3, 4].map(() => ensureEngineIdentity(home)));
  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  await rememberPorts(home, PORTS);
  expect(await ensureEngineIdentity(home)).toEqual({ id: made[0]?.id, ports: PORTS });
  expect((await stat(home.identity)).mode & 0o777).toBe(0o600);
});

test("outlives the engine's folder, and that of a former version is taken over from there", async () => {
  await mkdir(home.engine);
  await writeFile(join(home.engine, 'identity.json'), JSON.stringify({ id: 'cafe', ports: PORTS }));
  // Before the identity is moved, for example for an early backup: it is read, and nothing changes.
  expect(await readIdentity(home)).toEqual({ id: 'cafe', ports: PORTS });
  await expect(stat(home.identity)).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await ensureEngineIdentity(home)).toEqual({ id: 'cafe', ports: PORTS });
  await rm(home.engine, { recursive: true });
  expect(await ensureEngineIdentity(home)).toEqual({ id: 'cafe', ports: PORTS });
});

test('that cannot be read is told, and not replaced', async () => {
  await writeFile(home.identity, '{"id":');
  await expect(ensureEngineIdentity(home)).rejects.toMatchObject({ details: { code: 'bad-identity' } });
  expect(await readFile(home.identity, 'utf8')).toBe('{"id":');
});

test('of another home is taken by one that has none', async () => {
  expect(await adoptIdentity(home, 'beef')).toBe(true);
  expect(await adoptIdentity(home, 'cafe')).toBe(false);
  expect((await ensureEngineIdentity(home)).id).toBe('beef');
});
