import type { TestEngine } from '../../test/support/engine.js';
import { readRecord } from '../../workers/engine/record.js';
import { peakOf } from '../measure.js';

/** How often it is looked, in milliseconds: what a process had at most it says itself, as long as it lives. */
const EVERY_MS = 250;

/** The most memory that any worker and any server of an engine had meanwhile, in MiB. */
export interface Peaks {
  readonly worker: number;
  readonly server: number;
  /** How many workers there were. */
  readonly workers: number;
  stop(): void;
}

export function peaksOf({ home }: TestEngine): Peaks {
  const peaks = { worker: 0, server: 0 };
  const workers = new Set<number>();
  const timer = setInterval(async () => {
    const record = await readRecord(home).catch(() => undefined);
    peaks.worker = Math.max(peaks.worker, peakOf(record?.worker?.pid));
    peaks.server = Math.max(peaks.server, peakOf(record?.server?.pid));
    if (record?.worker) workers.add(record.worker.pid);
  }, EVERY_MS);
  return {
    get worker() {
      return peaks.worker;
    },
    get server() {
      return peaks.server;
    },
    get workers() {
      return workers.size;
    },
    stop: () => clearInterval(timer),
  };
}
