import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../../workers/engine/processes/process.js';
import { readRecord } from '../../workers/engine/record.js';
import type { TestEngine } from '../support/engine.js';

/** Resources of the worker's process, as the kernel reports them (Linux). */
export interface Held {
  sockets: number;
  rssMiB: number;
}

/** Watches the running worker. */
export async function watchWorker({ home }: TestEngine) {
  const process = (await readRecord(home))?.worker;
  if (!process) throw new Error('no worker runs');
  const folder = `/proc/${process.pid}`;

  async function held(): Promise<Held> {
    const status = await readFile(`${folder}/status`, 'utf8');
    const links = await Promise.all(
      (await readdir(`${folder}/fd`)).map((name) => readlink(`${folder}/fd/${name}`).catch(() => '')),
    );
    return {
      sockets: links.filter((link) => link.startsWith('socket:')).length,
      rssMiB: Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024,
    };
  }

  return {
    pid: process.pid,
    held,
    /** Reports whether the same process still runs. */
    alive: async () => isAlive(process) && (await readRecord(home))?.worker?.pid === process.pid,
    /** Samples until `signal` is aborted. Returns the maximum values. */
    async most(signal: AbortSignal): Promise<Held> {
      const most = await held();
      while (!signal.aborted) {
        const now = await held().catch(() => most);
        most.sockets = Math.max(most.sockets, now.sockets);
        most.rssMiB = Math.max(most.rssMiB, now.rssMiB);
        await sleep(250, undefined, { signal }).catch(() => {});
      }
      return most;
    },
  };
}
