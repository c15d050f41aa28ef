import { cp, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { execa } from 'execa';
import { create } from '../../scripts/new/main.js';

/** What a build does not need of the project's own folders, and what is linked or reused. */
const LEFT_OUT = new Set(['node_modules', '.git', 'test', 'docs', 'bench', 'coverage']);

/**
 * Builds the project into `folder` with this many taskservs more, each as `npm run new taskserv` makes it.
 *
 * @param root the project, built
 * @returns its `bin/provisioning.js`
 */
export async function buildWithModules(root: string, folder: string, count: number): Promise<string> {
  // The bundle of the workflows and the declarations come along in dist/: their sources are the same.
  await cp(root, folder, { recursive: true, filter: (path) => !LEFT_OUT.has(relative(root, path)) });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (let number = 1; number <= count; number++) await create(folder, 'taskserv', `module-${number}`);
  const inFolder = execa({ cwd: folder, preferLocal: true });
  await inFolder`tsx scripts/generate/main.ts`;
  await inFolder`tsx scripts/build.ts`;
  return join(folder, 'bin/provisioning.js');
}
