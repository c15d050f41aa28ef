import { spawn } from 'node:child_process';
import { addAbortListener } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bugError, type ErrorDetails, ProvisioningError } from '../../core/errors.js';
import { packageRoot } from '../../definition/source/package-root.js';

/** Has the server end once its standard input does. */
const WITH_PARENT = '--with-parent';

/** Context that the server gets from its process, and its callbacks. */
export interface ServerProcess<T> {
  env: NodeJS.ProcessEnv;
  /** Gets the server's log. */
  err: { write(text: string): unknown };
  /** Ends the server with SIGTERM. */
  signal: AbortSignal;
  /** Called once it listens. */
  onReady(result: T): void;
}

/**
 * Runs the API server's program, which opens stores and keys in a process of its own.
 *
 * @returns its exit code, once it has ended
 * @throws ProvisioningError, as it reported it
 */
export async function runServer<T>(
  args: readonly string[],
  { env, err, signal, onReady }: ServerProcess<T>,
  program = join(packageRoot(), 'dist', 'serve.js'),
): Promise<number> {
  if (!existsSync(program)) {
    const why = 'its program does not exist';
    throw bugError({ code: 'not-built', what: 'start the API server', on: program, why, hint: 'npm run build' });
  }
  // The server's standard input shows whether this process is alive: the system closes it, however this process ends.
  const child = spawn(process.execPath, [program, ...args, WITH_PARENT], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => {});
  child.stderr.setEncoding('utf8').on('data', (text: string) => err.write(text));
  const stop = () => void child.kill('SIGTERM');
  addAbortListener(signal, stop);
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  // It may fail before its output has ended, which is read first.
  ended.catch(() => {});
  for await (const line of createInterface({ input: child.stdout })) {
    const said = JSON.parse(line) as { result: T } | { error: ErrorDetails };
    if ('error' in said) throw new ProvisioningError(said.error);
    onReady(said.result);
  }
  return ended;
}
