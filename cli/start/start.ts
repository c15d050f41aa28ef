import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openPack, runPack, thisNode } from './pack.js';

/** Starts the command line: compiled code of this Node where the build has it, else from its modules. */
export async function start(dist: string): Promise<void> {
  const program = join(dist, 'cli.js');
  const pack = openPack(join(dist, 'cli.pack'));
  if (pack?.index.node === thisNode()) return void runPack(pack, program);
  // What Node itself keeps of compiled code, where it can (22.1).
  (module as { enableCompileCache?: () => void }).enableCompileCache?.();
  await import(pathToFileURL(program).href);
}
