import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { pathToFileURL } from 'node:url';
import { type Home, homeOf } from '../../home/home.js';
import { isLate, openPack, runPack, thisNode } from './pack.js';
import { SERVE } from './warm-request.js';

/**
 * Starts the command line: in a serving process, otherwise from compiled code for this Node, otherwise from its
 * modules.
 */
export async function start(dist: string): Promise<void> {
  const program = join(dist, 'cli.js');
  const pack = openPack(join(dist, 'cli.pack'));
  if (pack?.index.node === thisNode()) {
    const argv = process.argv.slice(2);
    if (argv[0] === SERVE) process.argv.push(pack.index.of);
    if (await isCarriedOut(pack.index.of, argv)) return;
    return void runPack(pack, program, { late: isLate });
  }
  // Node's own cache of compiled code, if this version has it (22.1).
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

/** Commands that read a definition and query the worker: they spend most of their time on starting. */
const SERVED = new Set(['apply', 'validate']);
const JSON_FLAGS = new Set(['--json', '--yaml']);
/** Files that programs evaluate. Those run in the process in which they are named. */
const PROGRAM = /\.(ts|k|ncl)$/;

/** Availability of a process that can run a command. */
export type WarmServer =
  | { kind: 'there'; home: Home }
  /** No serving process runs yet, but a worker can start it for the next command. */
  | { kind: 'wanted'; home: Home };

/**
 * Returns whether a serving process may run a command. It may not if a person could be asked, or if a program of the
 * user would run.
 */
export function mayBeServed(argv: readonly string[], env: NodeJS.ProcessEnv): WarmServer | undefined {
  const [command = '', ...args] = argv;
  // Its worker belongs to another home, or is behind a server.
  if (env.PROVISIONING_SOCKET || env.PROVISIONING_CONTEXT || env.PROVISIONING_SERVER) return undefined;
  if (args.some((arg) => arg === '--context' || arg.startsWith('--context='))) return undefined;
  if (!SERVED.has(command) || args.includes('--') || args.some((arg) => PROGRAM.test(arg))) return undefined;
  // Only this process has its standard input.
  if (args.includes('-')) return undefined;
  if (isatty(1) && !args.some((arg) => JSON_FLAGS.has(arg))) return undefined;
  const home = homeOf(env);
  if (existsSync(home.warm)) return { kind: 'there', home };
  return command === 'apply' && existsSync(home.socket) ? { kind: 'wanted', home } : undefined;
}
