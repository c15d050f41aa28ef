import { cp, mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';

/** The repository. */
export const here = resolve(import.meta.dirname, '../..');

/**
 * Copies the repository with its uncommitted changes, for a guide to be followed in. The copy is like a clone after
 * `npm ci`, with packages, generated files and a build. A build there then creates only the guide's changes.
 */
export async function copyOfRepository(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'provisioning-guide-'));
  const listed = async (...which: string[]) => (await execa('git', ['ls-files', ...which], { cwd: here })).stdout.split('\n');
  const generated = await listed('-oi', '--exclude-standard', '--', '*.generated.ts', ':!node_modules');
  for (const path of [...(await listed('-co', '--exclude-standard')), ...generated.filter((path) => path !== '')]) {
    await mkdir(join(copy, dirname(path)), { recursive: true });
    await cp(join(here, path), join(copy, path)).catch((error: NodeJS.ErrnoException) => {
      // The file is deleted here, but the deletion is not committed.
      if (error.code !== 'ENOENT') throw error;
    });
  }
  await symlink(join(here, 'node_modules'), join(copy, 'node_modules'));
  await cp(join(here, 'dist'), join(copy, 'dist'), { recursive: true });
  await execa('npm', ['run', '-s', 'generate'], { cwd: copy });
  await execa('git', ['init', '-q'], { cwd: copy });
  return copy;
}
