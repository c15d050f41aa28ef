import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ProcessMark } from '../../../core/engine/engine.js';
import { bugError } from '../../../core/errors.js';
import { holdLockFile } from '../../../home/lock-file.js';
import { isAlive, readProcessMark } from './process.js';

/**
 * Runs `work` while holding a lock file. Waits for a live holder, and replaces a dead one.
 *
 * @param told called once with the holder's pid when it has to wait
 */
export async function holdLock<T>(path: string, work: () => Promise<T>, told?: (pid: number) => void): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  const mine = readProcessMark(process.pid);
  if (!mine)
    throw bugError({
      code: 'no-start-time',
      what: 'take the lock',
      on: path,
      why: 'the start time of this process cannot be read',
    });
  let isTold = false;
  const onWait = (text: string | undefined) => {
    if (text === undefined || isTold) return;
    isTold = true;
    told?.(markIn(text).pid);
  };
  const isLeft = (text: string) => !isAlive(markIn(text));
  return holdLockFile(path, { text: JSON.stringify({ ...mine, nonce: Math.random() }), everyMs: 100, isLeft, onWait }, work);
}

function markIn(text: string): ProcessMark {
  try {
    return JSON.parse(text) as ProcessMark;
  } catch {
    return { pid: 0, started: 'unreadable' };
  }
}
