import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** How a lock file says who holds it, and what becomes of one that stays. */
export interface LockForm {
  /** Content of the file while this process holds it. */
  text: string;
  /** Permissions of the file, less what the mask of the process takes. Default: those of any new file. */
  mode?: number;
  /** Pause before the next try, in milliseconds. */
  everyMs: number;
  /** Whether the process that holds a lock has ended. `ageMs` is the time since the lock was made. */
  isLeft(text: string, ageMs: number): boolean;
  /** Called at each try that finds a lock; what it throws ends the waiting. */
  onWait?(text: string | undefined): void;
}

/**
 * Runs `work` while holding a lock file. Waits for a holder that lives, and takes over from one that has ended. The folder
 * of the file exists. Processes of former releases take the same file, if the text is one that they read.
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
      // Someone may have taken it over, by mistake or by hand.
      if ((await textOf(lock)) === text) await rm(lock, { force: true });
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/** A link, so that the lock appears with its content; unlike a rename it fails if another process has it. */
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

/** Several may evict at once: whoever moved away another lock than the dead one puts it back. */
async function evict(lock: string, dead: string, draft: string): Promise<void> {
  const aside = `${draft}.evicted`;
  await rename(lock, aside).catch(() => undefined);
  const moved = await textOf(aside);
  if (moved !== undefined && moved !== dead) await linkNew(aside, lock);
  await rm(aside, { force: true });
}

const textOf = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);
