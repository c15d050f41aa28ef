import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { addAbortListener } from 'node:events';
import type { InventoryServer } from '../../core/infra/inventory.js';
import { explainNotStarted, SSH_FAILED } from './reached-server.js';
import { shellOn } from './ssh.js';

/** Bytes of each stream that are kept of a command. */
export const MOST_OUTPUT = 256 * 1024;

/** What a timer can wait, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

/** Milliseconds that a program has to end after it was told to. */
const GRACE_MS = 2_000;

/** What is kept of a stream, and how many bytes more there were. */
export interface KeptOutput {
  text: string;
  cut: number;
}

/** How a command on a server ended. */
export interface CommandResult {
  /** Its exit code; absent where it did not end by itself. */
  exit?: number;
  stdout: KeptOutput;
  stderr: KeptOutput;
  /** Whether the server was reached. */
  reached: boolean;
  /** It was ended since its time was over. */
  timedOut?: true;
  /** It was ended from outside. */
  stopped?: true;
}

interface How {
  keys: string;
  /** What is attempted, for errors. */
  what: string;
  timeoutMs?: number;
  /** Bytes of each stream that are kept. */
  most?: number;
  signal?: AbortSignal;
  /** What it is given to read. Default: nothing. */
  input?: string;
}

/** A connection of its own: one that is shared with others says nothing when it is there. */
export const OWN_CONNECTION = ['-o', 'ControlMaster=no', '-o', 'ControlPath=none'];

/** Has ssh print a line here once it is let in. The host has no part in it: its output comes behind. */
export const formatSayOptions = (line: string): string[] => ['-o', 'PermitLocalCommand=yes', '-o', `LocalCommand=echo ${line}`];

/** `LocalCommand` and `ProxyCommand` are for this shell, whatever the person's own is. */
export const plainShell = (): NodeJS.ProcessEnv => ({ ...process.env, SHELL: '/bin/sh' });

/**
 * Runs a command on a server, without a terminal, and without input unless some is given. Asks nothing.
 *
 * @throws an error `no-ssh` where this machine has no ssh, an input error for a server without a machine
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
  // A group of its own: what it started ends with it, such as the ssh to its jump host.
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], env: plainShell(), detached: true });
  // Who ends before it has read all of it says so by its exit code.
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
      ...(code === null || why || (code === SSH_FAILED && !reached) ? {} : { exit: code }),
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

/** Tells a program to end that was started in a group of its own, and all that it started. */
export function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended already.
  }
}

/** Keeps the beginning of a stream, and counts the rest. */
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
