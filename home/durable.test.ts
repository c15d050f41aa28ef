import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
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
  // Half of it is written, as on a disk that gets full.
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
