import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/** Program with its limits. */
export interface BoundedRun {
  program: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  stdin: string;
  /** Time limit in milliseconds. */
  ms: number;
  /** Maximum bytes of output. */
  output: number;
  /** Maximum bytes of each file that it writes. */
  file: number;
  /** Memory of each process, in bytes. */
  memory: number;
}

/** Result of a run: its exit, or the limit of time or output that stopped it. */
export interface RunEnd {
  exit: number;
  stdout: Buffer;
  stderr: string;
  over?: 'time' | 'output';
}

/** Maximum characters of stored messages. */
const MESSAGES = 8_192;
/**
 * Milliseconds to wait for the end of its messages. A background process, such as a shared ssh connection, may keep
 * the stream open.
 */
const LAST_WORDS_MS = 500;
/** Signals with which a terminal or a service ends this process. */
const ENDS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a program and its child processes within limits. The kernel enforces the limits of files and memory. Without a
 * terminal, no child process can prompt. Exit code 127 means that the program is not installed.
 */
export async function runBounded({ program, args, cwd, env, stdin, ms, output, file, memory }: BoundedRun): Promise<RunEnd> {
  const blocks = Math.floor(file / 512);
  const limits = `ulimit -c 0; ulimit -f ${blocks} 2>/dev/null; ulimit -d ${Math.floor(memory / 1024)} 2>/dev/null; exec "$@"`;
  const words = ['-c', limits, 'sh', program, ...args];
  const child = spawn('/bin/sh', words, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  let over: RunEnd['over'];
  const end = () => endGroup(child.pid);
  const stop = (why: RunEnd['over']) => {
    over ??= why;
    end();
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
  };
  const late = setTimeout(() => stop('time'), Math.max(0, ms));
  const forget = onLeaving(end);
  try {
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
    const parts: Buffer[] = [];
    let bytes = 0;
    child.stdout.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > output) stop('output');
      else parts.push(part);
    });
    let stderr = '';
    child.stderr.on('data', (part: Buffer) => {
      stderr = (stderr + part.toString('utf8')).slice(-MESSAGES);
    });
    const said = closed(child.stderr);
    const [exit] = await Promise.all([exitOf(child), closed(child.stdout)]);
    await Promise.race([said, new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS).unref())]);
    return { exit, stdout: Buffer.concat(parts), stderr, ...(over && { over }) };
  } finally {
    clearTimeout(late);
    forget();
    end();
    child.stderr.destroy();
  }
}

const closed = (stream: Readable): Promise<void> => new Promise((resolve) => void stream.once('close', () => resolve()));

const exitOf = (child: ReturnType<typeof spawn>): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/**
 * Calls back when this process ends: a separate process group does not receive Ctrl-C. If the signal has no other
 * handler, it then ends this process as usual.
 *
 * @returns a function that removes the handlers
 */
function onLeaving(leave: () => void): () => void {
  const onSignal = (signal: NodeJS.Signals) => {
    leave();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  process.once('exit', leave);
  for (const signal of ENDS) process.once(signal, onSignal);
  return () => {
    process.off('exit', leave);
    for (const signal of ENDS) process.off(signal, onSignal);
  };
}
