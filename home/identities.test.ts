import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findForbiddenKey } from './identities.js';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'identities-'));
  for (const folder of ['keys', 'keys/deep', 'other', 'workspace']) mkdirSync(join(root, folder));
  for (const file of ['keys/deploy', 'keys/deep/key', 'other/key', 'other/more']) writeFileSync(join(root, file), 'key');
  symlinkSync(join(root, 'other/more'), join(root, 'keys/linked'));
  symlinkSync(join(root, 'keys'), join(root, 'workspace/folder'));
  symlinkSync(join(root, 'other/key'), join(root, 'workspace/key'));
});
afterAll(() => rmSync(root, { recursive: true }));

const FORMS = [
  ['a file of an allowed folder', 'keys/deploy', true],
  ['a link that the user keeps in an allowed folder', 'keys/linked', true],
  ['the same by a link to that folder', 'workspace/folder/deploy', true],
  ['an allowed path', 'other/key', true],
  ['a link to an allowed path', 'workspace/key', true],
  ['a file that is not there, of an allowed folder', 'keys/new', true],
  ['a folder below an allowed one', 'keys/deep/key', false],
  ['a path that leads out of an allowed folder', 'keys/../other/more', false],
  ['the neighbor of an allowed path', 'other/more', false],
  ['a folder whose name begins alike', 'keys-2/deploy', false],
  ['the allowed folder itself', 'keys', false],
] as const;

test.each(FORMS)('%s: %s', async (_, path, isAllowed) => {
  const list = `${join(root, 'keys')}/*, ${join(root, 'other/key')}`;
  expect((await findForbiddenKey(join(root, path), list)) === undefined).toBe(isAllowed);
});

test('without a list those of ~/.ssh are allowed, and no others', async () => {
  const { HOME } = process.env;
  process.env.HOME = root;
  mkdirSync(join(root, '.ssh'));
  try {
    expect(await findForbiddenKey(join(root, '.ssh/id_ed25519'), undefined)).toBeUndefined();
    expect(await findForbiddenKey(join(root, '.ssh/../keys/deploy'), undefined)).toMatchObject({
      why: 'definitions must not use this private key',
    });
    expect(await findForbiddenKey('/etc/ssh/ssh_host_ed25519_key', undefined)).toBeDefined();
  } finally {
    process.env.HOME = HOME;
  }
});

test.each([
  ['/opt/key', '/srv/keys/*', "provisioning config set worker.identities '/srv/keys/*,/opt/key'"],
  ['/opt/key', '', 'provisioning config set worker.identities /opt/key'],
  ["/opt/a'; id; '", undefined, `provisioning config set worker.identities '~/.ssh/*,/opt/a'\\''; id; '\\'''`],
  ['/opt/a,/etc/*', undefined, 'name a key whose path has no comma and does not end in /*'],
  ['/etc/*', undefined, 'name a key whose path has no comma and does not end in /*'],
])('to allow %s beside %j is one key more, whoever wrote its path', async (path, list, hint) =>
  expect((await findForbiddenKey(path, list))?.hint).toBe(hint),
);
