import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Number of test files that always play in parallel, however busy the machine is: they mostly wait. */
export const LANES = 3;
/** Memory of a file in bytes: an engine, its worker, and hosts. */
const LANE_BYTES = 2 * 1024 ** 3;
/** Maximum number in parallel, if the processors have time for them. */
export const MOST_LANES = Math.max(LANES, Math.min(4 * Math.max(2, availableParallelism()), Math.floor(totalmem() / LANE_BYTES)));

/** Milliseconds of observation before the first additional lane opens. Each further lane takes as long again. */
const WATCHED_MS = 3_000;
/** Idle share of all processors above which a lane opens: one file takes about a sixth of two processors. */
const IDLE = 0.2;

/** Milliseconds of all processors since the machine started. `idle` includes low-priority processes. */
export interface Spent {
  idle: number;
  all: number;
}

/** Returns what all processors spent since the machine started. */
export function readSpent(): Spent {
  const times = cpus().map((cpu) => cpu.times);
  // Low-priority processes give way to a test, so their time counts as idle.
  const idle = times.reduce((sum, one) => sum + one.idle + one.nice, 0);
  return { idle, all: times.reduce((sum, one) => sum + one.user + one.sys + one.irq, idle) };
}

/** Shared state of the processes that play files. */
export interface Lanes {
  /** Registers that this process plays a file. */
  take(): Promise<void>;
  /** Removes the registration of this process, which plays no file now. */
  leave(): Promise<void>;
  /** Returns the number of processes that play a file. */
  count(): Promise<number>;
  /** Removes all registrations. */
  clear(): Promise<void>;
}

/**
 * Returns the lanes of one run.
 *
 * @param run the process that started the players
 */
export function lanesOf(run = process.ppid, pid = process.pid): Lanes {
  const folder = join(tmpdir(), `test-lanes-${run}`);
  return {
    async take() {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, String(pid)), '');
    },
    leave: () => rm(join(folder, String(pid)), { force: true }),
    async count() {
      let count = 0;
      for (const name of await readdir(folder).catch(() => [])) {
        if (isAlive(Number(name))) count += 1;
        else await rm(join(folder, name), { force: true });
      }
      return count;
    },
    clear: () => rm(folder, { recursive: true, force: true }),
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * Waits until a file may be played and takes a lane for it. The number of lanes adapts automatically: files that
 * mostly wait get more lanes than files that compute.
 *
 * @param number of the process within the run, from 1
 */
export async function takeLane(number: number, lanes: Lanes, read = readSpent, watchedMs = WATCHED_MS): Promise<void> {
  // A process that has played a file begins again like a new one.
  await lanes.leave();
  let watched = { since: Date.now(), spent: read() };
  while (number > LANES && (await lanes.count()) >= LANES) {
    await sleep(watchedMs / 6);
    // Each additional lane takes longer to open, so that the effect of the one before is visible.
    if (Date.now() - watched.since < (number - LANES) * watchedMs) continue;
    const spent = read();
    if (spent.idle - watched.spent.idle >= IDLE * (spent.all - watched.spent.all)) break;
    watched = { since: Date.now(), spent };
  }
  await lanes.take();
}
