import type { TestEngine } from '../../test/support/engine.js';
import { readRecord } from '../../workers/engine/record.js';
import { peakOf } from '../measure.js';

/** Interval between readings, in milliseconds. A living process reports its own peak. */
const EVERY_MS = 250;

/** Maximum memory of any worker and any server of an engine, in MiB. */
export interface Peaks {
  readonly worker: number;
  readonly server: number;
  /** Number of workers. */
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
