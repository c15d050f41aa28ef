import { chmod, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { holdLockFile } from '../home/lock-file.js';
import { badKeyFile } from './key-entries.js';

/** Maximum wait for another change, in milliseconds; each needs a few, plus the time of the key service. */
const TURN_MS = 15_000;
/** Age at which an empty lock counts as left by a killed process, in milliseconds. */
const SILENT_MS = 5_000;

/** Runs work with exclusive access to a key file. Takes over the lock of a process that has ended. */
export async function lockKeyFile<T>(path: string, work: () => Promise<T>): Promise<T> {
  await ownFolder(dirname(path));
  const lock = `${path}.next`;
  const until = Date.now() + TURN_MS;
  const onWait = () => {
    if (Date.now() > until)
      throw badKeyFile(path, 'another process is changing the keys', `if none is, one was killed at it: rm ${lock}`);
  };
  return holdLockFile(lock, { text: String(process.pid), mode: 0o600, everyMs: 20, isLeft, onWait }, work);
}

/** Creates a private folder, or makes an existing one private. */
export async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}

/** Reports whether the process of a lock has ended. Former releases created the lock before they wrote into it. */
function isLeft(text: string, ageMs: number): boolean {
  if (!/^\d+$/.test(text)) return ageMs > SILENT_MS;
  try {
    process.kill(Number(text), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
