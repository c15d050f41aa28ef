import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { locatePublicKey, locateSocket } from './login-files.js';
import { createLoginFolder, type Login } from './login-folder.js';

let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'folder-'));
});
afterEach(() => rm(place, { recursive: true, force: true }));

const make = (logins: Login[], env: NodeJS.ProcessEnv = { XDG_RUNTIME_DIR: place }) =>
  createLoginFolder(env, logins, async () => Buffer.alloc(0));
const web = {
  server: 'web-1',
  address: '192.0.2.1',
  port: 22,
  user: 'root',
  hostKey: 'ssh-ed25519 AAAA',
  publicKey: 'ssh-ed25519 BBBB shop',
};

test('ssh gets a private folder with public keys, pinned host keys and a socket for each login', async () => {
  const jump = { address: '192.0.2.9', port: 2222, user: 'ops', hostKey: 'ssh-ed25519 CCCC' };
  const mine = { ...web, server: 'mine', identity: '/home/ann/id', publicKey: 'ssh-rsa DDDD ann' };
  const { hostKey: _, ...unknown } = web;
  const { folder, remove } = await make([web, { ...web, server: 'web-2', jump }, mine, { ...unknown, server: 'new' }]);
  expect(folder.startsWith(join(place, `provisioning-ssh-${process.pid}-`))).toBe(true);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect(await readFile(join(folder, 'known_hosts'), 'utf8')).toBe(
    'web-1 ssh-ed25519 AAAA\nweb-2 ssh-ed25519 AAAA\njump@192.0.2.9:2222 ssh-ed25519 CCCC\nmine ssh-ed25519 AAAA\n',
  );
  expect(await readFile(locatePublicKey(folder), 'utf8')).toBe('ssh-ed25519 BBBB shop\n');
  expect(await readFile(locatePublicKey(folder, '/home/ann/id'), 'utf8')).toBe('ssh-rsa DDDD ann\n');
  const sockets = [locateSocket(folder, 'web-2'), locateSocket(folder, 'web-2', true), locateSocket(folder, 'mine')];
  for (const socket of sockets) expect((await stat(socket)).isSocket()).toBe(true);
  expect((await readdir(folder)).length).toBe(3 + 5);
  await remove();
  expect(await readdir(place)).toEqual([]);
});

test('an infra without a key gets no key and no socket', async () => {
  const { publicKey: _, ...without } = web;
  const { folder, remove } = await make([without]);
  expect(await readdir(folder)).toEqual(['known_hosts']);
  await remove();
});

test('a folder whose path is too long for a socket is not used', async () => {
  const long = join(place, 'x'.repeat(60));
  await mkdir(long);
  const { folder, remove } = await make([web], { XDG_RUNTIME_DIR: long });
  expect(folder.startsWith(long)).toBe(false);
  expect((await stat(locateSocket(folder, 'web-1'))).isSocket()).toBe(true);
  await remove();
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
    await mkdir(join(place, name), { mode });
  const { remove } = await make([]);
  await remove();
  expect((await readdir(place)).sort()).toEqual([used, loose, other].sort());
});
