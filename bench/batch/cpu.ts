import { readFile } from 'node:fs/promises';
import type { TestEngine } from '../../test/support/engine.js';
import { readRecord } from '../../workers/engine/record.js';

/** Clock ticks a second, as Linux reports times to programs. */
const TICKS = 100;

export interface CpuSeconds {
  worker: number;
  server: number;
}

/** What worker and server have computed so far: tells what work costs also where others share the machine. */
export async function cpuOf({ home }: TestEngine): Promise<CpuSeconds> {
  const record = await readRecord(home);
  return { worker: await secondsOf(record?.worker?.pid), server: await secondsOf(record?.server?.pid) };
}

/** Seconds of a process; 0 for none. */
export async function secondsOf(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field is the program's name in parentheses and may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS;
}

export const spent = (from: CpuSeconds, to: CpuSeconds): CpuSeconds => ({
  worker: to.worker - from.worker,
  server: to.server - from.server,
});
