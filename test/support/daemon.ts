import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Server that a test starts, kills and restarts. It never outlives the test. */
export interface TestDaemon {
  /** Pid of its process. Absent before its start. */
  readonly pid: number | undefined;
  start(): Promise<void>;
  /** Sends the signal and waits for the end. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

export interface DaemonOptions {
  name: string;
  command: readonly string[];
  env?: NodeJS.ProcessEnv;
  log: string;
  /** Polled until it returns true. */
  ready(): Promise<boolean>;
  withinMs?: number;
}

export function testDaemon({ name, command, env, log, ready, withinMs = 60_000 }: DaemonOptions): TestDaemon {
  let child: ChildProcess | undefined;
  return {
    get pid() {
      return child?.pid;
    },
    async start() {
      const output = openSync(log, 'a');
      // The kernel ends the servers together with the test, however it ends.
      const [program = '', ...args] = ['setpriv', '--pdeathsig', 'KILL', ...command];
      child = spawn(program, args, { env, stdio: ['ignore', output, output] });
      for (const until = Date.now() + withinMs; !(await ready()); await sleep(100)) {
        const ended = child.exitCode ?? child.signalCode;
        if (ended !== null || Date.now() > until) {
          if (ended === null) child.kill('SIGKILL');
          const said = (await readFile(log, 'utf8')).trim().split('\n').slice(-8).join('\n');
          throw new Error(`${name} ${ended === null ? `was not ready within ${withinMs} ms` : `ended: ${ended}`}:\n${said}`);
        }
      }
    },
    async kill(signal = 'SIGKILL') {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const end = once(child, 'exit');
      child.kill(signal);
      await end;
    },
  };
}
