import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { unreachableError } from '../../core/errors.js';
import { useFolder } from './write-file.js';

/** How long one that changes a file waits for others, in milliseconds; each needs a few. */
const TURN_MS = 20_000;

/** A lock is not taken from its holder before this, in milliseconds: a holder in another container seems to be dead. */
const DEAD_AFTER_MS = 3_000;

/**
 * Reads and writes a file while nobody else does so by this function: of two that change it at once, the second sees
 * what the first has written. A lock lies beside the file meanwhile; that of a process which was killed is removed.
 *
 * @param within the folder that the file has to lie in, after its links; the user's own file has none
 * @throws unreachableError `config-busy` where another does not come to its end; inputError `file-is-a-link`
 */
export async function runInTurn<T>(
  path: string,
  work: () => Promise<T>,
  { turnMs = TURN_MS, within }: { turnMs?: number; within?: string | undefined } = {},
): Promise<T> {
  // The user's own file may be a link. The lock of another one lies beside its name, in a folder that stays open.
  if (within !== undefined) return useFolder(path, 0o700, within, (place) => locked(path, lockOf(place), work, turnMs));
  const file = await realpath(path).catch(() => path);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  return locked(path, lockOf(file), work, turnMs);
}

const lockOf = (file: string): string => join(dirname(file), `.${basename(file)}.lock`);

async function locked<T>(path: string, lock: string, work: () => Promise<T>, turnMs: number): Promise<T> {
  const draft = `${lock}.${randomUUID()}`;
  const mine = JSON.stringify({ pid: process.pid, nonce: randomUUID() });
  await writeFile(draft, mine, { flag: 'wx', mode: 0o600 });
  try {
    for (const until = Date.now() + turnMs; !(await linked(draft, lock)); await sleep(20)) {
      const held = await deadHolder(lock);
      if (held !== undefined) await evict(lock, held, draft);
      else if (Date.now() > until) throw busy(path, lockOf(path));
    }
    try {
      return await work();
    } finally {
      if ((await textOf(lock)) === mine) await rm(lock, { force: true });
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/** A link, so that the lock appears with its content; unlike a rename it fails where another has it. */
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** What the lock of a process says that does not live any more; undefined of one that may live. */
async function deadHolder(lock: string): Promise<string | undefined> {
  const found = await stat(lock).catch(() => undefined);
  const text = await textOf(lock);
  if (!found || text === undefined || Date.now() - found.ctimeMs < DEAD_AFTER_MS) return undefined;
  try {
    process.kill((JSON.parse(text) as { pid: number }).pid, 0);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? undefined : text;
  }
}

/** Several may evict at once: whoever moved away another lock than the dead one puts it back. */
async function evict(lock: string, dead: string, draft: string): Promise<void> {
  const aside = `${draft}.evicted`;
  await rename(lock, aside).catch(() => undefined);
  const moved = await textOf(aside);
  if (moved !== undefined && moved !== dead) await linked(aside, lock);
  await rm(aside, { force: true });
}

const textOf = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);

const busy = (on: string, lock: string) =>
  unreachableError({
    code: 'config-busy',
    what: 'change the settings',
    on,
    why: 'another command is changing the settings',
    hint: `if no other command runs, a command was killed during a change: rm ${lock}`,
  });
