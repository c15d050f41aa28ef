import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../test/support/temporary-folder.js';
import { holdLock } from './lock.js';

const folder = () => makeFolder('lock');

test('only one at a time holds it, and nothing is left', async () => {
  const place = await folder();
  let inside = 0;
  let most = 0;
  const waits: number[] = [];
  const work = () =>
    holdLock(
      join(place, 'a.lock'),
      async () => {
        most = Math.max(most, ++inside);
        await sleep(20);
        inside--;
      },
      (pid) => waits.push(pid),
    );
  await Promise.all([work(), work(), work(), work()]);
  expect(most).toBe(1);
  expect(waits).toContain(process.pid);
  expect(await readdir(place)).toEqual([]);
});

test('one left by a dead process is taken over, by one only', async () => {
  const place = await folder();
  await writeFile(join(place, 'a.lock'), JSON.stringify({ pid: process.pid, started: 'before this process' }));
  let inside = 0;
  let most = 0;
  const work = () =>
    holdLock(join(place, 'a.lock'), async () => {
      most = Math.max(most, ++inside);
      await sleep(20);
      inside--;
    });
  await Promise.all([work(), work(), work()]);
  expect(most).toBe(1);
});

test('it is released when the work fails', async () => {
  const path = join(await folder(), 'a.lock');
  await expect(holdLock(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await holdLock(path, async () => 'free')).toBe('free');
});
