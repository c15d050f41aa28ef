import { cp, mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';

/** The repository. */
export const here = resolve(import.meta.dirname, '../..');

/**
 * A copy of the repository as it is here, committed or not, for a guide to be followed in. It is as `npm ci` leaves a
 * clone: with packages, with the generated files, and built, so that a build makes only what a guide changed.
 */
export async function copyOfRepository(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'provisioning-guide-'));
  const listed = async (...which: string[]) => (await execa('git', ['ls-files', ...which], { cwd: here })).stdout.split('\n');
  const generated = await listed('-oi', '--exclude-standard', '--', '*.generated.ts', ':!node_modules');
  for (const path of [...(await listed('-co', '--exclude-standard')), ...generated.filter((path) => path !== '')]) {
    await mkdir(join(copy, dirname(path)), { recursive: true });
    await cp(join(here, path), join(copy, path)).catch((error: NodeJS.ErrnoException) => {
      // Deleted here, and not committed yet.
      if (error.code !== 'ENOENT') throw error;
    });
  }
  await symlink(join(here, 'node_modules'), join(copy, 'node_modules'));
  await cp(join(here, 'dist'), join(copy, 'dist'), { recursive: true });
  await execa('npm', ['run', '-s', 'generate'], { cwd: copy });
  await execa('git', ['init', '-q'], { cwd: copy });
  return copy;
}
