import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { isBuilt } from '../../scripts/build-inputs.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Names a run whose tests start nothing that is built. */
export const STARTS_NOTHING = 'TESTS_START_NOTHING';

/** Builds what the tests start as processes of their own, as users do; nothing where it was just built. */
export async function setup(): Promise<void> {
  if (process.env[STARTS_NOTHING] !== undefined || isBuilt(root)) return;
  await execa('npm', ['run', '-s', 'build'], { cwd: root, stderr: 'inherit' });
}
