import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ProcessMark } from '../../../core/engine/engine.js';
import { unreachableError } from '../../../core/errors.js';
import { readProcessMark } from './process.js';

export interface DaemonOptions {
  command: string;
  args: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** File that its output is appended to. */
  log: string;
  /** From which size on the log is put aside, in bytes. */
  logBytes: number;
}

export interface Daemon extends ProcessMark {
  /** Start of its own output in the log, in bytes. */
  logFrom: number;
}

/** Starts a process that outlives this one and its terminal. */
export async function startDaemon({ command, args, cwd, env, log, logBytes }: DaemonOptions): Promise<Daemon> {
  mkdirSync(dirname(log), { recursive: true });
  if (existsSync(log) && statSync(log).size > logBytes) renameSync(log, `${log}.1`);
  const output = openSync(log, 'a', 0o600);
  try {
    const logFrom = fstatSync(output).size;
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', output, output] });
    await once(child, 'spawn');
    child.unref();
    const mark = child.pid === undefined ? undefined : readProcessMark(child.pid);
    if (!mark) {
      throw unreachableError({
        code: 'ended-at-once',
        what: 'start the process',
        on: command,
        why: `it ended at once: ${tail(log, logFrom)}`,
      });
    }
    return { ...mark, logFrom };
  } finally {
    closeSync(output);
  }
}

/** Returns the text of a log from a place on, at most its last `bytes`. */
export function textFrom(log: string, from: number, bytes = 64 * 1024): string {
  if (!existsSync(log)) return '';
  const file = openSync(log, 'r');
  try {
    const { size } = fstatSync(file);
    const start = Math.max(from, size - bytes);
    const buffer = Buffer.alloc(Math.max(0, size - start));
    readSync(file, buffer, 0, buffer.length, start);
    return buffer.toString('utf8');
  } finally {
    closeSync(file);
  }
}

/** The last lines of a log on one line, for an error. */
export function tail(log: string, from: number, lines = 5): string {
  const text = textFrom(log, from).trim();
  return text === '' ? `nothing was written to ${log}` : text.split('\n').slice(-lines).join(' | ');
}
