import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readAtStart, SERVE } from '../cli/start/warm-request.js';
import { messageOf } from '../core/errors.js';
import type { Home } from '../home/home.js';

/** Time for which the reporting command has the processors to itself, in milliseconds. */
const BEHIND_MS = 1_000;

/** The process that carries out commands of this home, so that they need not start. */
export interface WarmCommands {
  /** Has it be there the next time. */
  want(): void;
  close(): void;
}

/**
 * Starts the warm command process when commands are run, one at a time. It ends with this process, and automatically
 * after a period without use.
 *
 * @param dist the folder of the built code
 */
export function warmCommands(home: Home, dist: string): WarmCommands {
  const program = join(dist, '../bin/provisioning.js');
  let child: ChildProcess | undefined;
  let isWanted = false;
  let closed = false;

  function start(): void {
    isWanted = false;
    if (closed || child) return;
    // Each command has its own environment.
    const kept = Object.entries(process.env).filter(([name]) => readAtStart(name) || name === 'PATH' || name === 'HOME');
    const env = { ...Object.fromEntries(kept), PROVISIONING_HOME: home.root };
    const started = spawn(process.execPath, [program, SERVE, home.warm], {
      cwd: home.root,
      env,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child = started;
    const gone = () => {
      if (child === started) child = undefined;
    };
    started.once('exit', gone).once('error', (error) => {
      gone();
      console.error(`commands start by themselves: ${messageOf(error)}`);
    });
    started.unref();
    started.channel?.unref();
  }

  return {
    want() {
      if (closed || child || isWanted || !existsSync(program)) return;
      isWanted = true;
      void sleep(BEHIND_MS, undefined, { ref: false }).then(start);
    },
    close() {
      closed = true;
      child?.disconnect();
    },
  };
}
