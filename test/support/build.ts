import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { isBuilt } from '../../scripts/build-inputs.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Variable for runs whose tests start no built programs. */
export const STARTS_NOTHING = 'TESTS_START_NOTHING';

/** Builds the programs that tests start in separate processes. Does nothing if they are up to date. */
export async function setup(): Promise<void> {
  if (process.env[STARTS_NOTHING] !== undefined || isBuilt(root)) return;
  await execa('npm', ['run', '-s', 'build'], { cwd: root, stderr: 'inherit' });
}
