import { type ChildProcess, spawn } from 'node:child_process';
import { execa, type Options } from 'execa';
import { childEnvironment } from '../../../sdk/index.js';

/**
 * Runs a program of this machine without our environment, which contains tokens and secrets.
 *
 * @param options as in execa; `env` is added to the passed variables
 */
export function runProgram<const T extends Omit<Options, 'extendEnv'>>(program: string, args: readonly string[], options?: T) {
  const { env, ...rest } = (options ?? {}) as Options;
  return execa(program, args, {
    ...(rest as T),
    env: childEnvironment(process.env, env as Record<string, string> | undefined),
    extendEnv: false,
  });
}

/** Starts a program that outlives us, without our environment. Its output goes to a file. */
export function startProgram(program: string, args: readonly string[], log: number): ChildProcess {
  const child = spawn(program, args, { detached: true, stdio: ['ignore', log, log], env: childEnvironment(process.env) });
  child.on('error', () => {});
  child.unref();
  return child;
}
