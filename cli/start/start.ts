import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { mayBeServed } from './may-be-served.js';
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
