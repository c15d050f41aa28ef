import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { cacheOf } from '../../home/home.js';
import { holdLock } from '../../workers/engine/processes/lock.js';

const root = resolve(import.meta.dirname, '../..');

/** Last commit before messages were sealed. */
export const FORMER = 'f5bf55a';

/** Commit of the former release, whose operations this version continues (docs/contribute/changing-a-workflow.md). */
export const RELEASE = readFileSync(join(root, 'test/histories/former/RELEASE'), 'utf8').trim();

/**
 * Returns a built checkout of a former commit in the user's cache.
 *
 * @throws Error if this clone does not have the commit, such as a shallow clone
 */
export async function formerCheckout(commit: string): Promise<string> {
  const folder = join(cacheOf(), 'former', commit);
  return holdLock(`${folder}.lock`, () => checkOut(commit, folder));
}

/** Returns a built checkout of the former release, and caches its engine, which takes minutes on a busy machine. */
export async function formerRelease(): Promise<string> {
  const folder = await formerCheckout(RELEASE);
  await execa(join(folder, 'node_modules/.bin/tsx'), ['test/support/find-engine-main.ts'], { cwd: folder });
  return folder;
}

async function checkOut(commit: string, folder: string): Promise<string> {
  // Its packages may belong to a checkout that no longer exists.
  if (['dist/worker.js', 'node_modules/tsx'].every((path) => existsSync(join(folder, path)))) return folder;
  const sources = await archiveOf(commit);
  const work = await mkdtemp(`${folder}-`);
  try {
    await execa('tar', ['-x', '-C', work], { input: sources });
    const same =
      (await readFile(join(work, 'package-lock.json'), 'utf8')) === (await readFile(join(root, 'package-lock.json'), 'utf8'));
    if (same) await symlink(join(root, 'node_modules'), join(work, 'node_modules'));
    else await execa('npm', ['ci', '--ignore-scripts', '--prefer-offline'], { cwd: work });
    await execa('npm', ['run', '-s', 'build'], { cwd: work });
    await rm(folder, { recursive: true, force: true });
    await rename(work, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return folder;
}

async function archiveOf(commit: string): Promise<Uint8Array> {
  const found = await execa('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root, reject: false });
  if (found.failed) {
    throw new Error(
      `cannot build the former version ${commit}: this clone does not have the commit; fetch it, with \`git fetch --unshallow\` where the clone is shallow`,
    );
  }
  return (await execa('git', ['archive', commit], { cwd: root, encoding: 'buffer' })).stdout;
}
