import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../../core/errors.js';
import { homeOf } from '../../../home/home.js';
import { readRecord } from '../record.js';
import { isAlive, readProcessMark } from './process.js';
import { readSupervisor } from './supervisor-process.js';

/** How often the worker is looked at, in milliseconds. */
const LOOK_MS = 500;
/** Within this time after its start `up` has recorded it. */
const RECORDED_MS = 10_000;
/** The pause before the worker is started again doubles from the first to the last, in milliseconds. */
const FIRST_PAUSE_MS = 250;
const LAST_PAUSE_MS = 60_000;
/** A worker that has lived so long counts as well: the next pause is the first again. */
const WELL_MS = 60_000;

const engineProgram = join(fileURLToPath(new URL('.', import.meta.url)), 'engine.js');
const home = homeOf();
const begun = Date.now();
let child: ChildProcess | undefined;

/** Starts the worker of a home again when it has died, for as long as the home records this process as its supervisor. */
async function main(): Promise<number> {
  const service = process.argv.includes('--service');
  if (service) {
    const code = await engine('up', `--supervisor=${process.pid}`);
    if (code !== 0) return code;
  }
  for (let pause = FIRST_PAUSE_MS; ; await sleep(LOOK_MS)) {
    if (!(await isMine())) return 0;
    const worker = (await readRecord(home))?.worker;
    if (!worker) continue;
    if (isAlive(worker)) {
      if (Date.now() - Date.parse(worker.since) > WELL_MS) pause = FIRST_PAUSE_MS;
      continue;
    }
    say(`the worker (pid ${worker.pid}) has ended: it is started again in ${pause / 1000} s`);
    await sleep(pause);
    pause = Math.min(LAST_PAUSE_MS, pause * 2);
    const code = await engine('revive', `--supervisor=${process.pid}`);
    say(code === 0 ? 'the worker runs' : `it did not start (exit code ${code}); see worker.log`);
  }
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

/** Runs the engine's program as it is installed now: it may have been replaced since this process began. */
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
