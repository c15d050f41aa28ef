import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { addAbortListener } from 'node:events';
import { collectAnswer } from '../collect-output.js';
import { tooLate } from '../ssh/ssh-faults.js';
import { ENDED_BY_TIME, shellFor } from '../time-limits.js';
import type { ExecOptions, ExecResult, Transport } from '../transport.js';

/** This very machine as a host: root directly, anybody else through sudo without a password. */
export const thisMachine: Transport & { close(): void } = {
  exec: (script, options) => run(script, options),
  close() {},
};

const ON = 'this machine';

/** Environment of a login over SSH, without the worker's variables, which have keys, tokens and secrets. */
const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  USER: 'root',
  LOGNAME: 'root',
  SHELL: '/bin/bash',
  LC_ALL: 'C',
};

async function run(script: string, { signal, onOutput, input, output: bytes, limitMs }: ExecOptions = {}): Promise<ExecResult> {
  const gone = [input, bytes].find((other) => other?.destroyed);
  if (gone) throw gone.errored;
  const isRoot = process.getuid?.() === 0;
  const tooMuch = new AbortController();
  const answer = collectAnswer(script, ON, onOutput, (fault) => tooMuch.abort(fault));
  const [command = 'bash', ...args] = shellFor(isRoot, answer.script, limitMs);
  const ended = signal ? AbortSignal.any([signal, tooMuch.signal]) : tooMuch.signal;
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    signal: ended,
    cwd: '/',
    env: ENVIRONMENT,
    detached: true,
  });
  addAbortListener(ended, () => endGroup(child));
  if (bytes) answer.pass(child.stdout, bytes);
  else child.stdout.on('data', answer.stdout);
  child.stderr.on('data', answer.stderr);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {});
  // A script whose other end is gone would wait without end.
  for (const other of [input, bytes]) {
    other?.once('error', (fault) => tooMuch.abort(fault));
  }
  if (input) {
    child.stdin.write(answer.script);
    input.pipe(child.stdin);
  } else child.stdin.end(answer.script);
  const exit = await new Promise<number>((resolve, reject) => {
    child.once('close', (code) => resolve(code ?? 1));
    child.on('error', (error) => reject(tooMuch.signal.aborted ? tooMuch.signal.reason : error));
  });
  if (limitMs !== undefined && ENDED_BY_TIME.includes(exit)) throw tooLate(ON, limitMs);
  return answer.ended(exit);
}

/** Ends a shell with all that it started: what it waits for would go on, and print without end. */
function endGroup(child: ChildProcessWithoutNullStreams): void {
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It is gone, or it is of root, by sudo: its pipes are closed.
  }
}
