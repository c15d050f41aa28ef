import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { pathToFileURL } from 'node:url';
import { type Home, homeOf } from '../../home/home.js';
import { openPack, runPack, thisNode } from './pack.js';
import { SERVE } from './warm-request.js';

/** Starts the command line: by who serves commands already, else compiled code of this Node where the build has it, else from its modules. */
export async function start(dist: string): Promise<void> {
  const program = join(dist, 'cli.js');
  const pack = openPack(join(dist, 'cli.pack'));
  if (pack?.index.node === thisNode()) {
    const argv = process.argv.slice(2);
    if (argv[0] === SERVE) process.argv.push(pack.index.of);
    if (await isCarriedOut(pack.index.of, argv)) return;
    return void runPack(pack, program);
  }
  // What Node itself keeps of compiled code, where it can (22.1).
  (module as { enableCompileCache?: () => void }).enableCompileCache?.();
  await import(pathToFileURL(program).href);
}

async function isCarriedOut(build: string, argv: readonly string[]): Promise<boolean> {
  const served = mayBeServed(argv, process.env);
  if (!served) return false;
  const { askWarm, wantWarm } = await import('./ask-warm.js');
  if (served.kind === 'there') {
    const left = await askWarm(served.home, build, argv);
    if (!left) return true;
    process.argv.splice(2, Infinity, ...left);
  }
  wantWarm(served.home);
  return false;
}

/** Commands that read a definition and ask the worker: most of their time is that of starting. */
const SERVED = new Set(['apply', 'validate']);
const JSON_FLAGS = new Set(['--json', '--yaml']);
/** Evaluated by programs, which run where they are named. */
const PROGRAM = /\.(ts|k|ncl)$/;

/** Where a command may be carried out by somebody who runs already. */
export type WarmServer =
  | { kind: 'there'; home: Home }
  /** Nobody is there yet, and a worker is who could have somebody be there the next time. */
  | { kind: 'wanted'; home: Home };

/**
 * Whether somebody else may carry a command out. Not where a person could be asked, and not where a program of the
 * user's would run.
 */
export function mayBeServed(argv: readonly string[], env: NodeJS.ProcessEnv): WarmServer | undefined {
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
