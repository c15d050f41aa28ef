import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessMark } from '../../../core/engine/engine.js';
import { bugError } from '../../../core/errors.js';
import { isAlive, readProcessMark } from '../../../home/process-mark.js';

export { isAlive, readProcessMark };

/**
 * Ends a process: SIGTERM, and SIGKILL after `graceMs`. A different process with the same pid is left running.
 *
 * @returns the outcome: `absent` if it did not run
 */
export async function stop(mark: ProcessMark, graceMs: number): Promise<'absent' | 'stopped' | 'killed'> {
  if (!isAlive(mark)) return 'absent';
  signal(mark.pid, 'SIGTERM');
  if (await gone(mark, graceMs)) return 'stopped';
  signal(mark.pid, 'SIGKILL');
  if (await gone(mark, 5_000)) return 'killed';
  throw bugError({ code: 'process-survives', what: 'stop the process', on: String(mark.pid), why: 'it survived SIGKILL for 5 s' });
}

/** Waits until the process has ended. */
async function gone(mark: ProcessMark, timeoutMs: number): Promise<boolean> {
  const until = Date.now() + timeoutMs;
  while (isAlive(mark)) {
    if (Date.now() > until) return false;
    await sleep(20);
  }
  return true;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
