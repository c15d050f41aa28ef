import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Builds what the tests start as processes of their own, as users do. Quick where nothing has changed. */
export async function setup(): Promise<void> {
  await execa('npm', ['run', '-s', 'build'], { cwd: root, stderr: 'inherit' });
}
