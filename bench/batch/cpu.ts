import { readFile } from 'node:fs/promises';
import { SERVE } from '../../cli/start/warm-request.js';
import type { TestEngine } from '../../test/support/engine.js';
import { processesWith } from '../../workers/engine/processes/listener.js';
import { readRecord } from '../../workers/engine/record.js';

/** Clock ticks per second, as Linux reports times to programs. */
const TICKS = 100;

export interface CpuSeconds {
  worker: number;
  server: number;
}

/**
 * Returns the processor time of worker and server so far, which is meaningful even on a shared machine. The worker's
 * part includes processes that it uses to run commands.
 */
export async function cpuOf({ home }: Pick<TestEngine, 'home'>): Promise<CpuSeconds> {
  const record = await readRecord(home);
  const worker = await secondsOf(record?.worker?.pid);
  let warm = 0;
  for (const { pid } of processesWith(SERVE, home.warm)) warm += await secondsOf(pid);
  return { worker: worker + warm, server: await secondsOf(record?.server?.pid) };
}

/** Returns the processor time of a process in seconds; 0 without a process. */
export const secondsOf = (pid: number | undefined): Promise<number> => ticksOf(`${pid}`, 11);

/** Returns the processor time of all ended child processes, in seconds. */
export const secondsOfEnded = (): Promise<number> => ticksOf('self', 13);

/** Reads two neighboring fields of a process, user and system time, in seconds. */
async function ticksOf(process: string, field: number): Promise<number> {
  const stat = await readFile(`/proc/${process}/stat`, 'utf8').catch(() => '');
  // The second field is the program's name in parentheses and may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[field] ?? 0) + Number(fields[field + 1] ?? 0)) / TICKS;
}

export const spent = (from: CpuSeconds, to: CpuSeconds): CpuSeconds => ({
  worker: to.worker - from.worker,
  server: to.server - from.server,
});
