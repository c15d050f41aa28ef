import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { homeOf } from '../../home/home.js';
import { openStores } from '../../stores/open-stores.js';
import { keyFolder } from './key-folder.js';

const owner = { workspace: 'w', infra: 'shop' };
let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'key-folder-'));
  await mkdir(join(place, 'run'));
});
afterEach(() => rm(place, { recursive: true, force: true }));

const contextOf = () => {
  const env = { HOME: place, XDG_RUNTIME_DIR: join(place, 'run'), PROVISIONING_HOME: join(place, 'home') };
  return { home: homeOf(env), env };
};

test('ssh gets a private copy of the key, whose file in the home is sealed, and the hosts that it needs', async () => {
  const context = contextOf();
  const { keys, close } = await openStores(context.home, context.env);
  const pair = await keys.infraKey(owner);
  await keys.pin(owner, 'web-1', 'ssh-ed25519 AAAA');
  await keys.pin(owner, 'web-2', 'ssh-ed25519 BBBB');
  await close();
  const { folder, remove } = await keyFolder(context, owner, ['web-1']);
  expect(folder.startsWith(join(place, 'run', 'provisioning-ssh-'))).toBe(true);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect(await readFile(join(folder, 'id_ed25519'), 'utf8')).toBe(pair.private);
  expect((await stat(join(folder, 'id_ed25519'))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(folder, 'known_hosts'), 'utf8')).toBe('web-1 ssh-ed25519 AAAA\n');
  expect(await readFile(join(context.home.keys, 'w/shop/id_ed25519'), 'utf8')).not.toContain('PRIVATE KEY');
  await remove();
  expect(await readdir(join(place, 'run'))).toEqual([]);
});

test('an infra without a key gets none, and none is made for it', async () => {
  const context = contextOf();
  const { folder, remove } = await keyFolder(context, owner, []);
  expect(await readdir(folder)).toEqual(['known_hosts']);
  await remove();
  expect((await readdir(join(place))).sort()).toEqual(['run']);
});

test('what a killed process left goes, and what others made or still use stays', async () => {
  const gone = spawnSync('true').pid;
  const [left, used, loose, other] = [
    `provisioning-ssh-${gone}-a`,
    `provisioning-ssh-${process.pid}-b`,
    `provisioning-ssh-${gone}-c`,
    'x',
  ];
  for (const [name, mode] of [
    [left, 0o700],
    [used, 0o700],
    [loose, 0o755],
    [other, 0o700],
  ] as const)
    await mkdir(join(place, 'run', name), { mode });
  const { remove } = await keyFolder(contextOf(), owner, []);
  await remove();
  expect((await readdir(join(place, 'run'))).sort()).toEqual([used, loose, other].sort());
});
