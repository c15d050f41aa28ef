import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import ssh2 from 'ssh2';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testText } from '../../test/support/private-text.js';
import { syncedIn } from '../../test/support/synced.js';
import { keyFiles } from './key-files.js';

const owner = { workspace: 'w', infra: 'i' };
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'keys-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('all who ask for a key at once get the same one, readable by its owner only', async () => {
  const pairs = await Promise.all(Array.from({ length: 8 }, () => keyFiles(root, testText).infraKey(owner)));
  expect(new Set(pairs.map((pair) => pair.private)).size).toBe(1);
  expect((await stat(join(root, 'w', 'i', 'id_ed25519'))).mode & 0o777).toBe(0o600);
});

test('every key can be read back', async () => {
  // One pair in about 256 was malformed as ssh2 made it: 600 would show it nine times in ten.
  for (let count = 0; count < 600; count++) {
    const pair = await keyFiles(root, testText).infraKey({ workspace: 'w', infra: `i${count}` });
    expect(ssh2.utils.parseKey(pair.private)).not.toBeInstanceOf(Error);
  }
});

test('known_hosts names servers, and forgets with them', async () => {
  const store = keyFiles(root, testText);
  await store.pin(owner, 'old', 'ssh-ed25519 AAAA');
  await store.hostKey(owner, 'web-1');
  expect((await readFile(join(root, 'w', 'i', 'known_hosts'), 'utf8')).split('\n').map((line) => line.split(' ')[0])).toEqual([
    'old',
    'web-1',
    '',
  ]);
  await store.forget(owner, 'old');
  expect(await store.pinned(owner, 'old')).toBeUndefined();
  expect(await readFile(join(root, 'w', 'i', 'known_hosts'), 'utf8')).toMatch(/^web-1 ssh-ed25519 \S+\n$/);
});

test('a new server is added at the end of known_hosts, which is not written again for it', async () => {
  const store = keyFiles(root, testText);
  const path = join(root, 'w', 'i', 'known_hosts');
  await store.hostKey(owner, 'web-1');
  const before = { ...(await stat(path)), text: await readFile(path, 'utf8') };
  await Promise.all(['web-2', 'web-3'].map((name) => store.hostKey(owner, name)));
  await store.pin(owner, 'old', 'ssh-ed25519 AAAA');
  const text = await readFile(path, 'utf8');
  expect((await stat(path)).ino).toBe(before.ino);
  expect(text.startsWith(before.text)).toBe(true);
  expect(text.slice(before.text.length).match(/^\S+/gm)?.sort()).toEqual(['old', 'web-2', 'web-3']);
});

test('a server has one line in known_hosts: that of the key it was pinned to last', async () => {
  const store = keyFiles(root, testText);
  for (const key of ['AAAA', 'BBBB', 'BBBB']) await store.pin(owner, 'old', `ssh-ed25519 ${key}`);
  await Promise.all(Array.from({ length: 4 }, () => store.hostKey(owner, 'web-1')));
  await store.hostKey(owner, 'web-1');
  const lines = (await readFile(join(root, 'w', 'i', 'known_hosts'), 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(['old ssh-ed25519', 'web-1 ssh-ed25519']);
  expect(lines[0]).toBe('old ssh-ed25519 BBBB');
});

test('servers that come and go side by side leave known_hosts as it should be', async () => {
  const keys = keyFiles(root, testText);
  const names = Array.from({ length: 30 }, (_, index) => `web-${index}`);
  await Promise.all(names.map((name) => keys.hostKey(owner, name)));
  const kept = names.slice(0, 3);
  await Promise.all(names.slice(3).map((name) => keys.forget(owner, name)));
  const listed = (await readFile(join(root, 'w', 'i', 'known_hosts'), 'utf8')).split('\n').filter(Boolean);
  expect(listed.map((line) => line.split(' ')[0]).sort()).toEqual([...kept].sort());
});

test('a public half that was never written is written when the key is asked for again', async () => {
  const { public: known } = await keyFiles(root, testText).hostKey(owner, 'web-1');
  await rm(join(root, 'w', 'i', 'hosts', 'web-1.pub'));
  await keyFiles(root, testText).hostKey(owner, 'web-1');
  expect(await keyFiles(root, testText).pinned(owner, 'web-1')).toBe(known);
});

test('a key that is given out, and what a server must show, outlive a power cut', async () => {
  const store = keyFiles(root, testText);
  const folder = join(root, 'w', 'i');
  // Each half, written under another name, and the name that it has afterwards.
  const files = (paths: string[], at: string) => [
    paths.filter((path) => dirname(path) === at && basename(path).startsWith('.')).length,
    paths.filter((path) => path === at).length,
  ];
  expect(files(await syncedIn(() => store.infraKey(owner)), folder)).toEqual([2, 2]);
  expect(files(await syncedIn(() => store.hostKey(owner, 'web-1')), join(folder, 'hosts'))).toEqual([2, 2]);
  expect(files(await syncedIn(() => store.pin(owner, 'web-1', 'ssh-ed25519 AAAA')), join(folder, 'hosts'))).toEqual([1, 1]);
});

test('what a server must show is replaced at once: who reads it meanwhile has all of the former', async () => {
  const store = keyFiles(root, testText);
  const path = join(root, 'w', 'i', 'hosts', 'old.pub');
  await store.pin(owner, 'old', 'ssh-ed25519 AAAA');
  const reader = await open(path, 'r');
  await store.pin(owner, 'old', 'ssh-ed25519 BBBB');
  expect(await reader.readFile('utf8')).toBe('ssh-ed25519 AAAA\n');
  await reader.close();
  expect(await store.pinned(owner, 'old')).toBe('ssh-ed25519 BBBB');
});
