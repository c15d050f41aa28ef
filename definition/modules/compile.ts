import { join } from 'node:path';
import { LIMITS } from '../../core/limits.js';
import { problemIn } from '../languages/evaluation.js';
import { usePrivateFolder } from '../languages/private-folder.js';
import { bundle, type Platform } from '../languages/typescript/bundle.js';
import { packageRoot } from '../source/package-root.js';
import type { Problem } from '../source/problem.js';
import { readText } from '../source/read-text.js';
import type { FileText } from '../source/source.js';

/** A module as one script that needs nothing else, with the SDK in it. */
export interface CompiledModule {
  code: string;
  /** The files that it was made of, its own first. */
  sources: FileText[];
}

/**
 * Bundles the file of a module into one script. Types are not checked.
 *
 * @param root folder that its imports cannot leave
 */
export async function compileModule(file: string, root: string): Promise<CompiledModule | Problem[]> {
  const text = await readText(file, LIMITS.file, { within: root });
  if (typeof text !== 'string') return [problemIn(file, text.message, text, text.suggestion)];
  return usePrivateFolder('module', async (folder) => {
    const bundled = await bundle({ file, text, root }, folder, platform());
    return Array.isArray(bundled) ? bundled : { code: bundled.code, sources: [{ file, text }, ...bundled.imports] };
  });
}

/** The SDK and zod as modules have them, which the build made. */
function platform(): Platform {
  const folder = join(packageRoot(), 'dist');
  const made = (name: string) => join(folder, 'module', `${name}.js`);
  return { imports: { 'provisioning/sdk': made('sdk'), zod: made('zod') }, folder, first: made('serve') };
}
