import { chmod, chown, mkdir, mkdtemp, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkPrivate, makePrivate } from './private-folder.js';

let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'private-'));
});
afterEach(() => rm(place, { recursive: true, force: true }));

const isRoot = process.getuid?.() === 0;
const refused = (why: RegExp) => ({ details: { code: 'folder-not-private', blame: 'user', why: expect.stringMatching(why) } });
const made = async (mode: number, ...names: string[]) => {
  const path = join(place, ...names);
  await mkdir(path, { recursive: true });
  await chmod(path, mode);
  return path;
};

describe('a folder', () => {
  test('that is the own one is taken, below a sticky folder as well', async () => {
    await checkPrivate(await made(0o700, 'own'));
    await checkPrivate(await made(0o755, 'readable'));
    await made(0o1777, 'sticky');
    await checkPrivate(await made(0o700, 'sticky', 'own'));
  });

  test.each([0o777, 0o770, 0o702])('that others may write to is refused (%o)', async (mode) => {
    await expect(checkPrivate(await made(mode, 'open'))).rejects.toMatchObject(refused(/^others may write/));
  });

  test('that anybody can put another in place of is refused', async () => {
    const inner = await made(0o700, 'open', 'own');
    await chmod(join(place, 'open'), 0o777);
    await expect(checkPrivate(inner)).rejects.toMatchObject(refused(/^everybody may write to .*open/));
  });

  test.runIf(isRoot)("of another user, or below one of another's, is refused", async () => {
    const theirs = await made(0o700, 'theirs');
    await chown(theirs, 1234, 1234);
    await expect(checkPrivate(theirs)).rejects.toMatchObject(refused(/belongs to the user 1234/));
    await expect(makePrivate(theirs)).rejects.toMatchObject(refused(/belongs to the user 1234/));
    const inner = await made(0o700, 'theirs', 'own');
    await expect(checkPrivate(inner)).rejects.toMatchObject(refused(/"\S+theirs" belongs to the user 1234/));
    await symlink(theirs, join(place, 'link'));
    await expect(checkPrivate(join(place, 'link'))).rejects.toMatchObject(refused(/belongs to the user 1234/));
  });

  test('is made private before it is used', async () => {
    const open = await made(0o777, 'open');
    await makePrivate(open);
    expect((await stat(open)).mode & 0o777).toBe(0o700);
    await makePrivate(join(place, 'new', 'inner'));
    expect((await stat(join(place, 'new', 'inner'))).mode & 0o777).toBe(0o700);
  });
});
