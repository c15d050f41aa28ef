import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { NAME } from '../../core/names.js';
import { filesIn } from '../layers/files-in.js';
import { isInside } from '../source/is-inside.js';
import { packageRoot } from '../source/package-root.js';

/** Folder of templates, in this package and in a workspace. */
const FOLDER = 'clusters';
const MAIN = 'cluster';

/** A template that there is. */
export interface TemplateFile {
  name: string;
  file: string;
  /** The folder that the file has to lie in, after its links. */
  within: string;
  /** The template is of this package, not of the workspace. */
  builtIn: boolean;
}

/** Finds the templates for a definition. Templates of its workspace override those of this package. */
export async function templateFiles(workspace: string | undefined): Promise<TemplateFile[]> {
  const [builtIn, own] = await Promise.all([
    filesOf(packageRoot(), true),
    workspace === undefined ? [] : filesOf(workspace, false),
  ]);
  const byName = new Map([...builtIn, ...own].map((one) => [one.name, one]));
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Each template is in a folder of its name. Other files, and links that lead out, are ignored. */
async function filesOf(root: string, builtIn: boolean): Promise<TemplateFile[]> {
  const folder = join(root, FOLDER);
  const names = (await readdir(folder).catch(() => [] as string[])).filter((name) => NAME.test(name));
  const within = await realpath(root).catch(() => root);
  const found = await Promise.all(
    names.map(async (name) => {
      const [main] = (await filesIn(join(folder, name))).filter((file) => file.startsWith(`${MAIN}.`));
      if (main === undefined) return [];
      const file = join(folder, name, main);
      const real = await realpath(file).catch(() => '');
      return isInside(real, within) ? [{ name, file, within, builtIn }] : [];
    }),
  );
  return found.flat();
}
