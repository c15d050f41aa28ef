import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessMark } from '../../../core/engine/engine.js';
import { bugError } from '../../../core/errors.js';
import { isAlive, readProcessMark } from './process.js';

/**
 * Runs `work` while holding a lock file. Waits for a holder that lives; takes
 * over from one that died.
 *
 * @param onWait called once with the holder's pid when it has to wait
 */
export async function holdLock<T>(path: string, work: () => Promise<T>, onWait?: (pid: number) => void): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  const mine = readProcessMark(process.pid);
  if (!mine)
    throw bugError({
      code: 'no-start-time',
      what: 'take the lock',
      on: path,
      why: 'the start time of this process cannot be read',
    });
  const text = JSON.stringify({ ...mine, nonce: Math.random() });
  const draft = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  let told = false;
  await writeFile(draft, text);
  try {
    // A link, so that the lock appears with its content: an empty lock would look like a dead one.
    while (!(await linked(draft, path))) {
      const holder = await holderOf(path);
      if (holder && !isAlive(holder)) await evict(path, holder, draft);
      else {
        if (holder && !told) onWait?.(holder.pid);
        told ||= holder !== undefined;
        await sleep(100);
      }
    }
    try {
      return await work();
    } finally {
      await rm(path, { force: true });
    }
  } finally {
    await rm(draft, { force: true });
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function holderOf(path: string): Promise<(ProcessMark & { nonce?: number }) | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as ProcessMark;
  } catch {
    return { pid: 0, started: 'unreadable' };
  }
}

/** Two may evict at once: whoever moved away a lock that is not the dead one puts it back. */
async function evict(path: string, dead: ProcessMark & { nonce?: number }, draft: string): Promise<void> {
  const aside = `${draft}.evicted`;
  await rename(path, aside).catch(() => undefined);
  const moved = await holderOf(aside);
  if (moved && moved.nonce !== dead.nonce) await linked(aside, path);
  await rm(aside, { force: true });
}
