import { cp, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { execa } from 'execa';
import { create } from '../../scripts/new/main.js';

/** Folders of the project that a build does not need, or that are linked or reused. */
const LEFT_OUT = new Set(['node_modules', '.git', 'test', 'docs', 'bench', 'coverage']);

/**
 * Builds the project into `folder` with additional taskservs, each as `npm run new taskserv` creates it.
 *
 * @param root the project, built
 * @returns its `bin/provisioning.js`
 */
export async function buildWithModules(root: string, folder: string, count: number): Promise<string> {
  // dist/ includes the bundle of the workflows and the declarations, whose sources are the same.
  await cp(root, folder, { recursive: true, filter: (path) => !LEFT_OUT.has(relative(root, path)) });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (let number = 1; number <= count; number++) await create(folder, 'taskserv', `module-${number}`);
  const inFolder = execa({ cwd: folder, preferLocal: true });
  await inFolder`tsx scripts/generate/main.ts`;
  await inFolder`tsx scripts/build.ts`;
  return join(folder, 'bin/provisioning.js');
}
