import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { badKeyFile } from './key-entries.js';

/** How long one that changes the file waits for another, in milliseconds; each needs a few, and a key service its time. */
const TURN_MS = 15_000;
/** A lock that says nothing for so long was left by one that was killed as it made it, in milliseconds. */
const SILENT_MS = 5_000;

/** Does something as the only one who changes a file of keys. A lock of a process that has ended is taken over. */
export async function lockKeyFile<T>(path: string, work: () => Promise<T>): Promise<T> {
  await ownFolder(dirname(path));
  const lock = `${path}.next`;
  await taken(path, lock);
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Makes a folder that is closed to others, or closes it. */
export async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}

async function taken(path: string, lock: string): Promise<void> {
  for (const until = Date.now() + TURN_MS; ; await sleep(20)) {
    try {
      const file = await open(lock, 'wx', 0o600);
      await file.writeFile(String(process.pid)).finally(() => file.close());
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (await isLeft(lock)) {
      const aside = `${lock}.${randomUUID()}`;
      // Of several that find it, one moves it away.
      await rename(lock, aside).catch(() => {});
      await rm(aside, { force: true });
    }
    if (Date.now() > until)
      throw badKeyFile(path, 'another process is changing the keys', `if none is, one was killed at it: rm ${lock}`);
  }
}

/** Whether whoever made a lock has ended. */
async function isLeft(lock: string): Promise<boolean> {
  const [text, found] = await Promise.all([readFile(lock, 'utf8').catch(() => undefined), stat(lock).catch(() => undefined)]);
  if (text === undefined || !found) return false;
  if (!/^\d+$/.test(text)) return Date.now() - found.mtimeMs > SILENT_MS;
  try {
    process.kill(Number(text), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
