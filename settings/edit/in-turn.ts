import { randomUUID } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { unreachableError } from '../../core/errors.js';
import { holdLockFile, type LockForm } from '../../home/lock-file.js';
import { useFolder } from './write-file.js';

/** Maximum time that a change waits for others, in milliseconds; each needs a few. */
const TURN_MS = 20_000;

/** Minimum age of a lock before it is removed, in milliseconds: a holder in another container looks dead. */
const DEAD_AFTER_MS = 3_000;

/**
 * Reads and writes a file exclusively among the callers of this function, so that a change sees the former one. The
 * lock is beside the file; a lock of a killed process is removed.
 *
 * @param within the folder that must contain the file, after its links; absent for the user's own file
 * @throws unreachableError `config-busy` if another change does not end; inputError `file-is-a-link`
 */
export async function runInTurn<T>(
  path: string,
  work: () => Promise<T>,
  { turnMs = TURN_MS, within }: { turnMs?: number; within?: string | undefined } = {},
): Promise<T> {
  // Only the user's own file may be a link. Other locks are beside the name of the file, in a folder that stays open.
  if (within !== undefined) return useFolder(path, 0o700, within, (place) => locked(path, lockOf(place), work, turnMs));
  const file = await realpath(path).catch(() => path);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  return locked(path, lockOf(file), work, turnMs);
}

const lockOf = (file: string): string => join(dirname(file), `.${basename(file)}.lock`);

function locked<T>(path: string, lock: string, work: () => Promise<T>, turnMs: number): Promise<T> {
  const until = Date.now() + turnMs;
  const form: LockForm = {
    ...{ text: JSON.stringify({ pid: process.pid, nonce: randomUUID() }), mode: 0o600, everyMs: 20 },
    isLeft: (text, ageMs) => ageMs >= DEAD_AFTER_MS && hasEnded(text),
    onWait: () => {
      if (Date.now() > until) throw busy(path, lockOf(path));
    },
  };
  return holdLockFile(lock, form, work);
}

/** Reports whether the process of a lock has ended. */
function hasEnded(text: string): boolean {
  try {
    process.kill((JSON.parse(text) as { pid: number }).pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EPERM';
  }
}

const busy = (on: string, lock: string) =>
  unreachableError({
    code: 'config-busy',
    what: 'change the settings',
    on,
    why: 'another command is changing the settings',
    hint: `if no other command runs, a command was killed during a change: rm ${lock}`,
  });
