import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** So many test files are played at once, however busy the machine is: much of what they do is waiting. */
export const LANES = 3;
/** Bytes that a file may take: an engine, its worker, and hosts. */
const LANE_BYTES = 2 * 1024 ** 3;
/** So many at once at most, if the processors have time for them. */
export const MOST_LANES = Math.max(LANES, Math.min(4 * Math.max(2, availableParallelism()), Math.floor(totalmem() / LANE_BYTES)));

/** Milliseconds for which the processors are watched before the first further lane opens; the next one after twice as long. */
const WATCHED_MS = 3_000;
/** A further lane opens if so much of all processors was idle: one file takes about a sixth of two. */
const IDLE = 0.2;

/** Milliseconds of all processors since the machine started. `idle` has what ran with a low priority, too. */
export interface Spent {
  idle: number;
  all: number;
}

function readSpent(): Spent {
  const times = cpus().map((cpu) => cpu.times);
  // What runs with a low priority gives way to a test: to the lanes its time is idle.
  const idle = times.reduce((sum, one) => sum + one.idle + one.nice, 0);
  return { idle, all: times.reduce((sum, one) => sum + one.user + one.sys + one.irq, idle) };
}

/** What a process that plays a file knows of the others. */
export interface Lanes {
  /** Says that this process plays a file from now on. */
  take(): Promise<void>;
  /** How many processes play one. */
  count(): Promise<number>;
  /** Forgets all of them. */
  clear(): Promise<void>;
}

/**
 * The processes of one run.
 *
 * @param run the process that started them
 */
export function lanesOf(run = process.ppid, pid = process.pid): Lanes {
  const folder = join(tmpdir(), `test-lanes-${run}`);
  return {
    async take() {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, String(pid)), '');
    },
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
 * Waits until a file may be played, and takes a lane for it. A run whose files mostly wait has more lanes than one whose
 * files compute: nobody has to know which do.
 *
 * @param number of the process among those of the run, from 1
 */
export async function takeLane(number: number, lanes: Lanes, read = readSpent, watchedMs = WATCHED_MS): Promise<void> {
  let watched = { since: Date.now(), spent: read() };
  while (number > LANES && (await lanes.count()) >= LANES) {
    await sleep(watchedMs / 6);
    // Each further one watches for longer: it sees what the one before it began.
    if (Date.now() - watched.since < (number - LANES) * watchedMs) continue;
    const spent = read();
    if (spent.idle - watched.spent.idle >= IDLE * (spent.all - watched.spent.all)) break;
    watched = { since: Date.now(), spent };
  }
  await lanes.take();
}
