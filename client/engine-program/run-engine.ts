import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bugError, type ErrorDetails, ProvisioningError } from '../../core/errors.js';
import { EXIT } from '../../core/exit-codes.js';
import type { ProgressReport, Reporter } from '../../core/report.js';
import { packageRoot } from '../../definition/source/package-root.js';

type Line = ProgressReport | { result: unknown } | { error: ErrorDetails };

/** Length of the program's standard error that is kept for an error text, in characters. */
const TAIL = 2000;

/** The program that finds, starts and stops the engine. */
const engineProgram = (): string => join(packageRoot(), 'dist', 'engine.js');

/** Context that the program gets from its process. */
export interface EngineProcess {
  env: NodeJS.ProcessEnv;
  /** Whether `err` receives the program's standard error. */
  verbose: boolean;
  err: { write(text: string): unknown };
  /** Ends the program with SIGTERM. */
  signal?: AbortSignal | undefined;
}

/**
 * Runs the engine's program, which is separate so that the command line stays light.
 *
 * @returns its answer and its exit code
 * @throws ProvisioningError, as it reported it
 */
export async function runEngine<T>(
  { env, verbose, err, signal }: EngineProcess,
  args: readonly string[],
  report: Reporter,
  program = engineProgram(),
): Promise<{ result: T; exitCode: number }> {
  if (!existsSync(program)) {
    throw bugError({
      code: 'not-built',
      what: 'start the engine',
      on: program,
      why: 'its program does not exist',
      hint: 'npm run build',
    });
  }
  const child = spawn(process.execPath, [program, ...args, '--events'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(signal && { signal }),
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (verbose) err.write(text);
    said = (said + text).slice(-TAIL);
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? EXIT.interrupted : EXIT.failed)));
  });
  // It may fail before its output has ended, which is read first.
  ended.catch(() => {});
  let answer: { result: T } | { error: ErrorDetails } | undefined;
  for await (const text of createInterface({ input: child.stdout })) {
    const line = parse(text);
    if (line === undefined) continue;
    if ('result' in line || 'error' in line) answer = line as typeof answer;
    else report(line);
  }
  const exitCode = await ended;
  if (answer && 'error' in answer) throw new ProvisioningError(answer.error);
  if (answer) return { result: answer.result, exitCode };
  const why = said.trim().split('\n').at(-1) || `it ended with exit code ${exitCode} and no answer`;
  throw bugError({
    code: 'engine-silent',
    what: `run the engine's ${args[0]}`,
    why,
    hint: 'add --verbose to see its whole output',
  });
}

function parse(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}
