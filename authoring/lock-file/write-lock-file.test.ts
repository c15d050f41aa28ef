import { chmod, chown, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LockedInfra } from '../../core/schema/versions/lock-file.js';
import { lockText } from '../../definition/lock-file/lock-text.js';
import { readLockFile } from '../../definition/lock-file/read-lock-file.js';
import type { LockEdit } from './lock-edit.js';
import { lockSays, writeLockFile } from './write-lock-file.js';

const [OLD, NEW]: LockedInfra[] = ['1', '2'].map((version) => ({ web: [{ asked: '>=1', version }] }));
const isRoot = process.geteuid?.() === 0;

describe('a lock file that is written', () => {
  let above: string;
  let folder: string;
  let file: string;
  beforeEach(async () => {
    above = await mkdtemp(join(tmpdir(), 'lock-'));
    folder = join(above, 'shop');
    file = join(folder, 'provisioning.lock');
    await mkdir(folder);
    await writeFile(join(folder, 'shop.yaml'), 'infra: shop\n');
    await chmod(join(folder, 'shop.yaml'), 0o640);
  });
  afterEach(() => rm(above, { recursive: true }));

  async function edit(before: LockedInfra = {}, after: LockedInfra = NEW ?? {}): Promise<LockEdit> {
    const { dev, ino } = await stat(folder);
    return { file, infra: 'shop', before, after, lines: [], folder: { dev, ino }, definition: 'shop.yaml' };
  }

  test('has the mode of the definition, and nothing is left beside it', async () => {
    const made = await edit();
    expect([await lockSays(made, made.before), await lockSays(made, made.after)]).toEqual([true, false]);
    await writeLockFile(made, made.after);
    expect(await readFile(file, 'utf8')).toBe(lockText({ shop: made.after }));
    expect([await lockSays(made, made.before), await lockSays(made, made.after)]).toEqual([false, true]);
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect((await readdir(folder)).sort()).toEqual(['provisioning.lock', 'shop.yaml']);
    await writeLockFile(made, made.before);
    expect(await readdir(folder)).toEqual(['shop.yaml']);
  });

  test('keeps its mode, and what it says of other infras, also of those that came meanwhile', async () => {
    await writeFile(file, lockText({ shop: OLD ?? {} }) ?? '');
    await chmod(file, 0o600);
    const made = await edit(OLD);
    await writeFile(file, lockText({ shop: OLD ?? {}, blog: OLD ?? {} }) ?? '');
    await writeLockFile(made, made.after);
    const read = await readLockFile(file);
    expect(read).toMatchObject({ infras: { shop: NEW, blog: OLD } });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('is not for everybody to write where the definition is a link', async () => {
    await rename(join(folder, 'shop.yaml'), join(folder, 'first.yaml'));
    await symlink('first.yaml', join(folder, 'shop.yaml'));
    const made = await edit();
    await writeLockFile(made, made.after);
    expect((await stat(file)).mode & 0o777).toBe(0o644);
  });

  test.skipIf(!isRoot)('belongs to whom the definition belongs to', async () => {
    await chown(join(folder, 'shop.yaml'), 1234, 1235);
    const made = await edit();
    await writeLockFile(made, made.after);
    expect(await stat(file)).toMatchObject({ uid: 1234, gid: 1235 });
  });

  test('is not written through a link in its place', async () => {
    const other = join(above, 'other');
    await writeFile(other, 'as it was');
    const made = await edit();
    await symlink(other, file);
    await expect(writeLockFile(made, made.after)).rejects.toMatchObject({
      details: { code: 'lock-file-not-written', blame: 'user', why: expect.stringContaining('it is a symbolic link') },
    });
    expect([await readFile(other, 'utf8'), (await lstat(file)).isSymbolicLink()]).toEqual(['as it was', true]);
  });

  test('is not written into a folder that was put where the one was that was read', async () => {
    const made = await edit();
    await rename(folder, join(above, 'former'));
    await mkdir(join(above, 'target'));
    await writeFile(join(above, 'target/shop.yaml'), 'infra: shop\n');
    await symlink(join(above, 'target'), folder);
    await expect(writeLockFile(made, made.after)).rejects.toMatchObject({ details: { code: 'lock-file-not-written' } });
    expect(await readdir(join(above, 'target'))).toEqual(['shop.yaml']);
  });
});
