import { randomUUID } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { unreachableError } from '../../core/errors.js';
import { holdLockFile, type LockForm } from '../../home/lock-file.js';
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

/** Whether the process of a lock does not live any more. */
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
