import { chmod, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { holdLockFile } from '../home/lock-file.js';
import { badKeyFile } from './key-entries.js';

/** How long one that changes the file waits for another, in milliseconds; each needs a few, and a key service its time. */
const TURN_MS = 15_000;
/** A lock that says nothing for so long was left by one that was killed as it made it, in milliseconds. */
const SILENT_MS = 5_000;

/** Does something as the only one who changes a file of keys. A lock of a process that has ended is taken over. */
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

/** Makes a folder that is closed to others, or closes it. */
export async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}

/** Whether the process that made a lock has ended. Those of former releases made it before they wrote into it. */
function isLeft(text: string, ageMs: number): boolean {
  if (!/^\d+$/.test(text)) return ageMs > SILENT_MS;
  try {
    process.kill(Number(text), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
