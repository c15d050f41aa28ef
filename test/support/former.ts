import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { cacheOf } from '../../home/home.js';

/** The last commit before messages were sealed. */
export const FORMER = 'f5bf55a';

const root = resolve(import.meta.dirname, '../..');

/** A built checkout of the former commit, in the user's cache. Needs the history of the repository. */
export async function formerCheckout(): Promise<string> {
  const folder = join(cacheOf(), 'former', FORMER);
  // Its packages may be those of a checkout that has gone.
  if (['dist/worker.js', 'node_modules/tsx'].every((path) => existsSync(join(folder, path)))) return folder;
  await mkdir(dirname(folder), { recursive: true });
  const work = await mkdtemp(`${folder}-`);
  try {
    const archive = execa('git', ['archive', FORMER], { cwd: root, encoding: 'buffer', stdout: 'pipe' });
    await execa('tar', ['-x', '-C', work], { input: (await archive).stdout });
    const same =
      (await readFile(join(work, 'package-lock.json'), 'utf8')) === (await readFile(join(root, 'package-lock.json'), 'utf8'));
    if (same) await symlink(join(root, 'node_modules'), join(work, 'node_modules'));
    else await execa('npm', ['ci', '--ignore-scripts'], { cwd: work });
    await execa('npm', ['run', '-s', 'build'], { cwd: work });
    await rm(folder, { recursive: true, force: true });
    await rename(work, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return folder;
}
