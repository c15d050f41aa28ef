import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { LIMITS } from '../../core/limits.js';

/** Options of a run of a program that evaluates a user's text. */
export interface LimitedRun {
  program: string;
  args: readonly string[];
  cwd: string;
  /** All that it gets of an environment. */
  env: Readonly<Record<string, string>>;
  /**
   * Standard input. If it is a promise, the program starts before it is ready, and is ended if the promise yields
   * nothing.
   */
  input?: string | Promise<string | undefined>;
  /** Answers what the program asks by the channel of Node, `{ id, … }`, with `{ id, answer }`. Not together with `ready`. */
  answer?: (question: unknown) => Promise<unknown>;
  /** Processor time of each of its processes, in seconds. */
  seconds: number;
  /** Command that runs the program with fewer rights. */
  through?: readonly string[];
  /** Called once something comes by descriptor 3, which is there only with this. */
  ready?(): void;
}

/** How a program ended: with a code, by a limit, or not started because the program is missing. */
export type RunResult =
  | { kind: 'ended'; code: number; output: string; errors: string }
  | { kind: 'too-much'; what: 'time' | 'memory' | 'output' }
  | { kind: 'absent'; errors: string };

const KiB = 1024;
/** Threads have stacks, and programs data, which are counted and hardly used. */
const ASIDE = 256 * KiB * KiB;
/** Bytes of an answer. */
const OUTPUT = 2 * LIMITS.fileResolved;
/** How often the memory is looked at, in milliseconds. */
const LOOK_MS = 25;

let before: (() => Promise<void>) | undefined;

/** Has every program wait until `ask` has settled: a process that works for another one has it run there. */
export function askBeforePrograms(ask: (() => Promise<void>) | undefined): void {
  before = ask;
}

/** Waits until programs may run in this process. */
export async function waitForProgramSlot(): Promise<void> {
  await before?.();
}

/**
 * Runs a program within limits on processor time, time, memory and output. The kernel enforces processor time and, on
 * Linux, memory. The resident memory is also measured, because not every kernel enforces it. Does not throw.
 */
export async function runLimited({
  program,
  args,
  cwd,
  env,
  input,
  answer,
  seconds,
  through = [],
  ready,
}: LimitedRun): Promise<RunResult> {
  await waitForProgramSlot();
  const limits = `ulimit -c 0; ulimit -S -t ${seconds}; ulimit -d ${(LIMITS.evaluationMemory + ASIDE) / KiB} 2>/dev/null; exec "$@"`;
  const words = ['-c', limits, 'sh', ...through, program, ...args];
  const stdio: StdioOptions = ['pipe', 'pipe', 'pipe', ...(ready ? (['pipe'] as const) : answer ? (['ipc'] as const) : [])];
  const child: ChildProcess = spawn('/bin/sh', words, { cwd, env, detached: true, stdio });
  if (ready) child.stdio[3]?.once('data', ready);
  if (answer) answerTo(child, answer);
  let over: 'time' | 'memory' | 'output' | undefined;
  const stop = (what: typeof over) => {
    over ??= what;
    endGroup(child);
  };
  let late: NodeJS.Timeout | undefined;
  const looking = watchMemory(child, () => stop('memory'));
  // If this command is stopped, its program is stopped, too.
  const leave = () => endGroup(child);
  process.once('exit', leave);
  try {
    const [output, errors, code] = await Promise.all([
      textOf(child.stdout, () => stop('output')),
      textOf(child.stderr, () => stop('output')),
      new Promise<number>((resolve) => {
        child.once('error', () => resolve(127));
        child.once('close', (exit, signal) => {
          if (signal === 'SIGXCPU') over ??= 'time';
          resolve(exit ?? 1);
        });
      }),
      feed(child, input).then(() => {
        late = setTimeout(() => stop('time'), LIMITS.evaluationSeconds * 1000);
      }),
    ]);
    if (over) return { kind: 'too-much', what: over };
    if (code === 127) return { kind: 'absent', errors };
    // Exit code by which a shell in between reports the signal.
    if (code === 152) return { kind: 'too-much', what: 'time' };
    return OUT_OF_MEMORY.test(errors) && code !== 0
      ? { kind: 'too-much', what: 'memory' }
      : { kind: 'ended', code, output, errors };
  } finally {
    clearTimeout(late);
    looking();
    process.off('exit', leave);
    endGroup(child);
  }
}

/** How the run-times of Node, Go, Rust and Python say it. */
const OUT_OF_MEMORY =
  /heap out of memory|Fatal process out of memory|Array buffer allocation failed|runtime: (cannot allocate|out of) memory|memory allocation of \d+ bytes failed|MemoryError/;

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

async function feed(child: ChildProcess, input: LimitedRun['input'] = ''): Promise<void> {
  // A program that ends early does not read to the end.
  child.stdin?.on('error', () => {});
  const text = await input;
  if (text === undefined) endGroup(child);
  else child.stdin?.end(text);
}

function answerTo(child: ChildProcess, answer: (question: unknown) => Promise<unknown>): void {
  child.on('message', async (question: { id: number }) => {
    const said = await answer(question);
    // It may have ended in that time.
    if (child.connected) child.send({ id: question.id, answer: said }, () => {});
  });
}

async function textOf(stream: NodeJS.ReadableStream | null, tooMuch: () => void): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stream ?? []) {
    bytes += part.length;
    if (bytes > OUTPUT) tooMuch();
    else parts.push(Buffer.from(part));
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Looks at the process and at those that it has started. @returns what ends it */
function watchMemory({ pid }: ChildProcess, tooMuch: () => void): () => void {
  const timer = setInterval(async () => {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
    for (const one of [pid, ...children.split(' ').filter(Boolean)]) {
      const pages = await readFile(`/proc/${one}/statm`, 'utf8').catch(() => '');
      const [, resident = '0'] = pages.split(' ');
      if (Number(resident) * PAGE > LIMITS.evaluationMemory) tooMuch();
    }
  }, LOOK_MS);
  return () => clearInterval(timer);
}

/** Bytes, at least: where pages are larger the kernel's own limit is what holds. */
const PAGE = 4096;
