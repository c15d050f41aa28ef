import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { afterAll, describe, expect, it } from 'vitest';
import { lockFile } from './file-lock.js';

const folder = mkdtempSync(join(tmpdir(), 'provisioning-lock-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a file lock', () => {
  it('lets one in at a time', async () => {
    const path = join(folder, 'turns');
    let inside = 0;
    let most = 0;
    const turn = () =>
      lockFile(path, async () => {
        most = Math.max(most, ++inside);
        await sleep(2);
        inside--;
      });
    await Promise.all(Array.from({ length: 20 }, turn));
    expect(most).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is free again after its work failed', async () => {
    const path = join(folder, 'failed');
    await expect(lockFile(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await lockFile(path, async () => {});
  });

  it('of a process that was killed is broken once, by whichever comes first', async () => {
    const path = join(folder, 'broken');
    const holder = execa('sleep', ['60'], { reject: false });
    const stat = readFileSync(`/proc/${holder.pid}/stat`, 'utf8');
    const name = `${holder.pid}-${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
    await symlink(name, path);
    // The process that broke the lock was killed too.
    await symlink(name, `${path}.${name}`);
    const counter = join(folder, 'count');
    writeFileSync(counter, '0');
    const add = () =>
      lockFile(path, async () => {
        const before = Number(readFileSync(counter, 'utf8'));
        await sleep(1);
        writeFileSync(counter, String(before + 1));
      });
    const all = Promise.all(Array.from({ length: 20 }, add));
    await sleep(50);
    expect(readFileSync(counter, 'utf8')).toBe('0');
    holder.kill('SIGKILL');
    await all;
    expect(readFileSync(counter, 'utf8')).toBe('20');
    expect(readdirSync(folder)).toEqual(['count']);
  });

  it('of a process whose id was given to another is broken', async () => {
    const path = join(folder, 'reused');
    await symlink(`${process.pid}-1`, path);
    await lockFile(path, async () => {});
  });
});
