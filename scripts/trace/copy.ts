import { existsSync } from 'node:fs';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

/** Returns whether a file of the repository is a module of the product. */
export const isProduct = (path: string): boolean =>
  path.includes('/') && path.endsWith('.ts') && !/^(test|scripts|bench|docs)\/|\.(test|d)\.ts$/.test(path);

/**
 * Creates a copy of the repository in which each module of the product is rewritten. It is a work tree of the same Git
 * repository, so that code that reads the history works.
 *
 * @param copy an empty folder
 * @param commit default: the current files, committed or not
 */
export async function rewrittenCopy(
  root: string,
  copy: string,
  rewrite: (path: string, text: string) => string,
  commit?: string,
): Promise<void> {
  await execa('git', ['worktree', 'add', '--detach', '-f', copy, commit ?? 'HEAD'], { cwd: root });
  if (commit === undefined) await copyUncommitted(root, copy);
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  await execa('npm', ['run', '-s', 'generate'], { cwd: copy });
  for (const path of await listed(copy, '-c', '*.ts')) {
    if (!isProduct(path) || !existsSync(join(copy, path))) continue;
    const file = join(copy, path);
    await writeFile(file, rewrite(path, await readFile(file, 'utf8')));
  }
}

export async function removeCopy(root: string, copy: string): Promise<void> {
  await execa('git', ['worktree', 'remove', '--force', copy], { cwd: root, reject: false });
  await rm(copy, { recursive: true, force: true });
}

async function copyUncommitted(root: string, copy: string): Promise<void> {
  const gone = new Set(await listed(root, '-d'));
  const changed = (await listed(root, '-m', '-o', '--exclude-standard')).filter((path) => !gone.has(path));
  if (changed.length > 0) await execa('xargs', ['-0', 'cp', '--parents', '-t', copy], { cwd: root, input: changed.join('\0') });
  for (const path of gone) await rm(join(copy, path), { force: true });
}

async function listed(folder: string, ...args: string[]): Promise<string[]> {
  const { stdout } = await execa('git', ['ls-files', '-z', ...args], { cwd: folder });
  return stdout.split('\0').filter((path) => path !== '');
}
