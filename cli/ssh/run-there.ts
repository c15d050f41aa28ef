import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { addAbortListener } from 'node:events';
import type { InventoryServer } from '../../core/infra/inventory.js';
import { explainNotStarted, SSH_EXIT } from './reached-server.js';
import { shellOn } from './ssh.js';

/** Maximum bytes to store from each stream of a command. */
export const MOST_OUTPUT = 256 * 1024;

/** Maximum delay of a timer, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

/** Grace period of a program after the request to end, in milliseconds. */
const GRACE_MS = 2_000;

/** Stored part of a stream, and the number of bytes beyond it. */
export interface KeptOutput {
  text: string;
  cut: number;
}

/** Result of a command on a server. */
export interface CommandResult {
  /** Exit code; absent if the command was ended by a signal. */
  exit?: number;
  stdout: KeptOutput;
  stderr: KeptOutput;
  /** Whether the server was reached. */
  reached: boolean;
  /** Whether it was ended by the time limit. */
  timedOut?: true;
  /** Whether it was ended from outside. */
  stopped?: true;
}

interface How {
  keys: string;
  /** Attempted action, for errors. */
  what: string;
  timeoutMs?: number;
  /** Maximum stored bytes of each stream. */
  most?: number;
  signal?: AbortSignal;
  /** Standard input of the command. Default: empty. */
  input?: string;
}

/** Options for a separate connection. A shared connection does not report when it is established. */
export const OWN_CONNECTION = ['-o', 'ControlMaster=no', '-o', 'ControlPath=none'];

/** Makes ssh print a line locally after the login. The host cannot affect it: its output comes later. */
export const formatSayOptions = (line: string): string[] => ['-o', 'PermitLocalCommand=yes', '-o', `LocalCommand=echo ${line}`];

/**
 * Returns an environment in which this shell runs `LocalCommand` and `ProxyCommand`, whatever the user's own shell is.
 */
export const plainShell = (): NodeJS.ProcessEnv => ({ ...process.env, SHELL: '/bin/sh' });

/**
 * Runs a command on a server without a terminal, and without input by default. Never prompts.
 *
 * @throws an error `no-ssh` if ssh is not installed, or an input error for a server without a machine
 */
export async function runThere(
  server: Pick<InventoryServer, 'name' | 'connection'>,
  { keys, what, timeoutMs, most = MOST_OUTPUT, signal, input }: How,
  words: readonly string[],
): Promise<CommandResult> {
  const mark = `reached-${randomUUID()}`;
  const options = ['-T', ...OWN_CONNECTION, ...formatSayOptions(mark)];
  const { program, args } = shellOn(server, { keys, interactive: false, what, options }, words);
  const isHere = program !== 'ssh';
  // A separate process group, so that its child processes end with it, such as the ssh to its jump host.
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], env: plainShell(), detached: true });
  // A command that ends before reading all input reports its result through the exit code.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const stdout = keeper(most + mark.length + 1);
  const stderr = keeper(most);
  child.stdout.on('data', stdout.take);
  child.stderr.on('data', stderr.take);
  let why: 'timedOut' | 'stopped' | undefined;
  let last: NodeJS.Timeout | undefined;
  const end = (reason: typeof why) => {
    why ??= reason;
    endGroup(child.pid, 'SIGTERM');
    last ??= setTimeout(() => endGroup(child.pid, 'SIGKILL'), GRACE_MS);
  };
  const stop = () => end('stopped');
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => end('timedOut'), Math.min(timeoutMs, LONGEST_MS));
  const listening = signal && addAbortListener(signal, stop);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', (error) => reject(explainNotStarted(error, program, what, server.name)));
      child.once('close', resolve);
    });
    const said = stdout.kept();
    const marked = said.text.startsWith(`${mark}\n`);
    const reached = isHere || marked;
    return {
      ...(code === null || why || (code === SSH_EXIT && !reached) ? {} : { exit: code }),
      stdout: marked ? { ...said, text: said.text.slice(mark.length + 1) } : said,
      stderr: stderr.kept(),
      reached,
      ...(why ? { [why]: true as const } : {}),
    };
  } finally {
    clearTimeout(timer);
    clearTimeout(last);
    listening?.[Symbol.dispose]();
  }
}

/** Signals a program in a separate process group, and all its child processes, to end. */
export function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The process has already ended.
  }
}

/** Stores the beginning of a stream and counts the rest. */
function keeper(most: number): { take(chunk: Buffer): void; kept(): KeptOutput } {
  const chunks: Buffer[] = [];
  let size = 0;
  let cut = 0;
  return {
    take(chunk) {
      const part = chunk.subarray(0, Math.max(0, most - size));
      if (part.length > 0) chunks.push(part);
      size += part.length;
      cut += chunk.length - part.length;
    },
    kept: () => ({ text: Buffer.concat(chunks).toString('utf8'), cut }),
  };
}
