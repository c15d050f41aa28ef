import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeFolder } from '../test/support/temporary-folder.js';
import { holdLockFile, type LockForm } from './lock-file.js';

const place = async () => join(await makeFolder('lock-file'), 'a.lock');
const form = (text: string, more: Partial<LockForm> = {}): LockForm => ({ text, everyMs: 1, isLeft: () => false, ...more });

test('work is done by one at a time, the lock has its text meanwhile, and nothing is left', async () => {
  const lock = await place();
  let inside = 0;
  const work = (text: string) => async () => {
    expect(++inside).toBe(1);
    expect(await readFile(lock, 'utf8')).toBe(text);
    await sleep(3);
    inside--;
  };
  await Promise.all(['a', 'b', 'c'].map((text) => holdLockFile(lock, form(text), work(text))));
  await expect(holdLockFile(lock, form('d'), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await readdir(join(lock, '..'))).toEqual([]);
});

test('a lock whose holder has ended is taken over by one at a time', async () => {
  const lock = await place();
  await writeFile(lock, 'dead');
  let inside = 0;
  const work = async () => {
    expect(++inside).toBe(1);
    await sleep(3);
    inside--;
  };
  const isLeft = (text: string, ageMs: number) => text === 'dead' && ageMs >= 0;
  await Promise.all(['a', 'b', 'c'].map((text) => holdLockFile(lock, form(text, { isLeft }), work)));
  expect(await readdir(join(lock, '..'))).toEqual([]);
});

test('who waits is told of the holder, and may give up without touching its lock', async () => {
  const lock = await place();
  await writeFile(lock, 'other');
  const seen: (string | undefined)[] = [];
  const onWait = (text: string | undefined) => {
    seen.push(text);
    if (seen.length === 2) throw new Error('busy');
  };
  await expect(holdLockFile(lock, form('mine', { onWait }), async () => {})).rejects.toThrow('busy');
  expect(seen).toEqual(['other', 'other']);
  expect(await readdir(join(lock, '..'))).toEqual(['a.lock']);
});
