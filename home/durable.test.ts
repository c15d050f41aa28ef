import { type FileHandle, mkdir, mkdtemp, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFile, replaceFile } from './durable.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durable-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a file is there whole, and nothing beside it', async () => {
  const path = join(folder, 'a', 'b', 'file');
  expect([await createFile(path, 'one'), await createFile(path, 'two')]).toEqual([true, false]);
  expect(await readFile(path, 'utf8')).toBe('one');
  await replaceFile(path, 'three');
  expect([await readFile(path, 'utf8'), await readdir(join(folder, 'a', 'b'))]).toEqual(['three', ['file']]);
});

test('what could not be written whole leaves nothing behind', async () => {
  // Fails after half of the content, like a full disk.
  const cut = async function* () {
    yield 'half';
    throw new Error('no space left');
  };
  for (const write of [createFile, replaceFile])
    await expect(write(join(folder, 'file'), cut() as never)).rejects.toThrow('no space left');
  expect(await readdir(folder)).toEqual([]);
});

test('what could not be put into its place leaves nothing behind', async () => {
  await mkdir(join(folder, 'taken', 'by'), { recursive: true });
  await expect(replaceFile(join(folder, 'taken'), 'text')).rejects.toThrow();
  expect(await readdir(folder)).toEqual(['taken']);
});

test('the names of the file and of all new folders outlive a crash', async () => {
  const handle = await open(folder, 'r');
  const synced = new Set<number>();
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  const { sync } = prototype;
  const spy = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    synced.add((await this.stat()).ino);
    await sync.call(this);
  });
  try {
    await createFile(join(folder, 'a', 'b', 'file'), 'text');
    const inodes = async (...paths: string[]) =>
      Promise.all(paths.map(async (path) => synced.has((await stat(join(folder, path))).ino)));
    expect(await inodes('.', 'a', 'a/b', 'a/b/file')).toEqual([true, true, true, true]);
    // The names of existing folders are already durable.
    synced.clear();
    await createFile(join(folder, 'a', 'c', 'file'), 'text');
    expect(await inodes('.', 'a', 'a/c')).toEqual([false, true, true]);
  } finally {
    spy.mockRestore();
  }
});
