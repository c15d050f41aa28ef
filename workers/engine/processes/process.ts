import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessMark } from '../../../core/engine/engine.js';
import { bugError } from '../../../core/errors.js';

/** How a live process is recognised; undefined when none with this pid runs (a zombie does not). */
export function markOf(pid: number): ProcessMark | undefined {
  const started = process.platform === 'linux' ? startOnLinux(pid) : startByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Whether the very process that was marked still runs. */
export const isAlive = (mark: ProcessMark): boolean => markOf(mark.pid)?.started === mark.started;

/**
 * Ends a process: SIGTERM, and SIGKILL when it has not gone within `graceMs`.
 * Does nothing to another one that has its pid now.
 *
 * @returns how it went: `absent` when it did not run
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

function startOnLinux(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses and may hold spaces: count from the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    // Ticks count from the boot, so that the boot has to be part of it.
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${fields[19]}`;
  } catch {
    return undefined;
  }
}

function startByPs(pid: number): string | undefined {
  try {
    const [state, ...start] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .split(/\s+/);
    return state === undefined || state.startsWith('Z') ? undefined : start.join(' ');
  } catch {
    return undefined;
  }
}
