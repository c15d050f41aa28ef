import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ProcessMark } from '../../../core/engine/engine.js';
import { messageOf } from '../../../core/errors.js';
import { homeOf } from '../../../home/home.js';
import { readRecord } from '../record.js';
import { readApi } from './api-process.js';
import { isAlive, readProcessMark } from './process.js';
import { readSupervisor } from './supervisor-process.js';

/** Interval in which the processes are checked, in milliseconds. */
const LOOK_MS = 500;
/** Within this time after its start `up` has recorded it. */
const RECORDED_MS = 10_000;
/** The pause before a process is started again doubles from the first to the last, in milliseconds. */
const FIRST_PAUSE_MS = 250;
const LAST_PAUSE_MS = 60_000;
/** Lifetime of a process after which the pauses between restarts begin again with the first, in milliseconds. */
const WELL_MS = 60_000;

/** Option for an API server, and for each of its arguments. */
const API = '--api';

const engineProgram = join(fileURLToPath(new URL('.', import.meta.url)), 'engine.js');
const home = homeOf();
const begun = Date.now();
let child: ChildProcess | undefined;

/**
 * Restarts the worker and the API server of a home after their death, as long as the home records this process as its
 * supervisor.
 */
async function main(): Promise<number> {
  const service = process.argv.includes('--service');
  if (service) {
    const api = process.argv.filter((word) => word === API || word.startsWith(`${API}=`));
    const code = await engine('up', `--supervisor=${process.pid}`, ...api);
    if (code !== 0) return code;
  }
  const watched: Watched[] = [
    { name: 'worker', log: 'worker.log', pause: FIRST_PAUSE_MS, read: async () => (await readRecord(home))?.worker },
    { name: 'API server', log: 'api.log', pause: FIRST_PAUSE_MS, read: () => readApi(home) },
  ];
  for (; ; await sleep(LOOK_MS)) {
    if (!(await isMine())) return 0;
    for (const one of watched) await look(one);
  }
}

/** A process that is started again. */
interface Watched {
  name: string;
  log: string;
  /** The next pause before it is started again, in milliseconds. */
  pause: number;
  /** When it is started again, while it has ended; as `Date.now()`. */
  due?: number | undefined;
  read(): Promise<(ProcessMark & { since: string }) | undefined>;
}

async function look(one: Watched): Promise<void> {
  const { name, log } = one;
  const record = await one.read();
  if (!record || isAlive(record)) {
    one.due = undefined;
    if (record && Date.now() - Date.parse(record.since) > WELL_MS) one.pause = FIRST_PAUSE_MS;
    return;
  }
  if (one.due === undefined) {
    say(`the ${name} (pid ${record.pid}) has ended: it is started again in ${one.pause / 1000} s`);
    one.due = Date.now() + one.pause;
    one.pause = Math.min(LAST_PAUSE_MS, one.pause * 2);
  }
  if (Date.now() < one.due) return;
  one.due = undefined;
  const code = await engine('revive', `--supervisor=${process.pid}`);
  const now = await one.read();
  say(code === 0 && now && isAlive(now) ? `the ${name} runs` : `it did not start (exit code ${code}); see ${log}`);
}

/** Whether the home still has this process for its supervisor: `down` and another one take the record away. */
async function isMine(): Promise<boolean> {
  const me = readProcessMark(process.pid);
  const recorded = await readSupervisor(home).catch((error: unknown) => {
    say(messageOf(error));
    return me;
  });
  if (recorded) return recorded.pid === me?.pid && recorded.started === me.started;
  return Date.now() - begun < RECORDED_MS;
}

/** Runs the installed program of the engine: it may have been replaced since this process began. */
async function engine(...args: string[]): Promise<number> {
  child = spawn(process.execPath, [engineProgram, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? 1;
  } catch (error) {
    say(messageOf(error));
    return 1;
  } finally {
    child = undefined;
  }
}

const say = (text: string) => console.log(`${new Date().toISOString()} ${text}`);

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => {
    child?.kill('SIGTERM');
    process.exit(0);
  });
process.exit(await main());
