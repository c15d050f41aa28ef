import { existsSync } from 'node:fs';
import { isatty } from 'node:tty';
import { type Home, homeOf } from '../../home/home.js';

/** Commands that read a definition and ask the worker: most of their time is that of starting. */
const SERVED = new Set(['apply', 'validate']);
const JSON_FLAGS = new Set(['--json', '--yaml']);
/** Evaluated by programs, which run where they are named. */
const PROGRAM = /\.(ts|k|ncl)$/;

/** Where a command may be carried out by somebody who runs already. */
export type Served =
  | { kind: 'there'; home: Home }
  /** Nobody is there yet, and a worker is who could have somebody be there the next time. */
  | { kind: 'wanted'; home: Home };

/**
 * Whether somebody else may carry a command out. Not where a person could be asked, and not where a program of the
 * user's would run.
 */
export function mayBeServed(argv: readonly string[], env: NodeJS.ProcessEnv): Served | undefined {
  const [command = '', ...args] = argv;
  // Its worker is that of another home, or behind a server.
  if (env.PROVISIONING_SOCKET || env.PROVISIONING_CONTEXT || env.PROVISIONING_SERVER) return undefined;
  if (args.some((arg) => arg === '--context' || arg.startsWith('--context='))) return undefined;
  if (!SERVED.has(command) || args.includes('--') || args.some((arg) => PROGRAM.test(arg))) return undefined;
  // Standard input is this process's own.
  if (args.includes('-')) return undefined;
  if (isatty(1) && !args.some((arg) => JSON_FLAGS.has(arg))) return undefined;
  const home = homeOf(env);
  if (existsSync(home.warm)) return { kind: 'there', home };
  return command === 'apply' && existsSync(home.socket) ? { kind: 'wanted', home } : undefined;
}
