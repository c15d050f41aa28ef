import { readFile } from 'node:fs/promises';
import { SERVE } from '../../cli/start/warm-request.js';
import type { TestEngine } from '../../test/support/engine.js';
import { processesWith } from '../../workers/engine/processes/listener.js';
import { readRecord } from '../../workers/engine/record.js';

/** Clock ticks a second, as Linux reports times to programs. */
const TICKS = 100;

export interface CpuSeconds {
  worker: number;
  server: number;
}

/**
 * What worker and server have computed so far: tells what work costs also where others share the machine. With the
 * worker counts what it has carry out commands.
 */
export async function cpuOf({ home }: Pick<TestEngine, 'home'>): Promise<CpuSeconds> {
  const record = await readRecord(home);
  const worker = await secondsOf(record?.worker?.pid);
  let warm = 0;
  for (const { pid } of processesWith(SERVE, home.warm)) warm += await secondsOf(pid);
  return { worker: worker + warm, server: await secondsOf(record?.server?.pid) };
}

/** Seconds of a process; 0 for none. */
export const secondsOf = (pid: number | undefined): Promise<number> => ticksOf(`${pid}`, 11);

/** Seconds of all programs that this process has started and that have ended. */
export const secondsOfEnded = (): Promise<number> => ticksOf('self', 13);

/** Two neighboring fields of a process, user and system time, in seconds. */
async function ticksOf(process: string, field: number): Promise<number> {
  const stat = await readFile(`/proc/${process}/stat`, 'utf8').catch(() => '');
  // The second field is the program's name in parentheses and may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[field] ?? 0) + Number(fields[field + 1] ?? 0)) / TICKS;
}

export const spent = (from: CpuSeconds, to: CpuSeconds): CpuSeconds => ({
  worker: to.worker - from.worker,
  server: to.server - from.server,
});
