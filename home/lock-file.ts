import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Form of a lock file, and handling of a lock that stays. */
export interface LockForm {
  /** Content of the file while this process holds it. */
  text: string;
  /** Permissions of the file, reduced by the umask. Default: those of any new file. */
  mode?: number;
  /** Pause before the next attempt, in milliseconds. */
  everyMs: number;
  /** Reports whether the holder of a lock has ended. `ageMs` is the time since its creation. */
  isLeft(text: string, ageMs: number): boolean;
  /** Called at each attempt that finds a lock. An error from it ends the wait. */
  onWait?(text: string | undefined): void;
}

/**
 * Runs `work` while holding a lock file. Waits for a living holder, and takes over the lock of an ended one. The folder
 * must exist. Processes of former releases respect the same file if they can parse its text.
 *
 * @throws what `onWait` throws
 */
export async function holdLockFile<T>(lock: string, form: LockForm, work: () => Promise<T>): Promise<T> {
  const { text, mode, everyMs, isLeft, onWait } = form;
  const draft = `${lock}.${randomUUID()}`;
  await writeFile(draft, text, { flag: 'wx', ...(mode !== undefined && { mode }) });
  try {
    while (!(await linkNew(draft, lock))) {
      const held = await readHeld(lock);
      if (held && isLeft(held.text, held.ageMs)) await evict(lock, held.text, draft);
      else {
        onWait?.(held?.text);
        await sleep(everyMs);
      }
    }
    try {
      return await work();
    } finally {
      // Another process may have taken it over, by mistake or manually.
      if ((await textOf(lock)) === text) await rm(lock, { force: true });
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/** Creates the lock with its content at once. Unlike a rename, a link fails if another process has the lock. */
async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function readHeld(lock: string): Promise<{ text: string; ageMs: number } | undefined> {
  const [found, text] = await Promise.all([stat(lock).catch(() => undefined), textOf(lock)]);
  return found && text !== undefined ? { text, ageMs: Date.now() - found.ctimeMs } : undefined;
}

/** Removes a dead lock. Several processes may do so at once: if one moves another lock, it puts that lock back. */
async function evict(lock: string, dead: string, draft: string): Promise<void> {
  const aside = `${draft}.evicted`;
  await rename(lock, aside).catch(() => undefined);
  const moved = await textOf(aside);
  if (moved !== undefined && moved !== dead) await linkNew(aside, lock);
  await rm(aside, { force: true });
}

const textOf = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);
