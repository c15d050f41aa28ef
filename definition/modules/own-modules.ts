import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { messageOf } from '../../core/errors.js';
import { NAME } from '../../core/names.js';
import type { TaskservRegistry } from '../../core/registry.js';
import { type OwnTaskserv, ownTaskserv } from '../../modules/own-taskserv.js';
import { problemIn } from '../languages/evaluation.js';
import type { Problem } from '../source/problem.js';
import type { FileText } from '../source/source.js';
import { compileModule } from './compile.js';

/** Whose a module is; the later takes the place of the earlier where it says so. */
export type Origin = 'platform' | 'user' | 'workspace';

/** A taskserv that is no part of the platform. */
export interface OwnModule {
  origin: Exclude<Origin, 'platform'>;
  file: string;
  code: string;
  /** The files that the code was made of. */
  texts: FileText[];
  taskserv: OwnTaskserv;
  /** Whose module of the same name it takes the place of. */
  instead?: Origin;
}

/** A folder that has modules: `taskservs/NAME/NAME.ts` or `taskservs/NAME.ts` in it. */
export interface ModuleFolder {
  origin: OwnModule['origin'];
  folder: string;
}

/** What was found in folders of modules. */
export interface FoundModules {
  modules: Map<string, OwnModule>;
  problems: Problem[];
}

/** Modules that were made before in this process, by name and code. */
const known = new Map<string, Promise<OwnTaskserv>>();

/**
 * Reads the modules of folders, which come after those of the platform, each in front of the ones before.
 *
 * @param addressOf the content address of a module's code
 */
export async function ownModules(
  folders: readonly ModuleFolder[],
  platform: TaskservRegistry,
  addressOf: (code: string) => string,
): Promise<FoundModules> {
  const modules = new Map<string, OwnModule>();
  const problems: Problem[] = [];
  for (const { origin, folder } of folders) {
    for (const { name, file } of await filesIn(folder)) {
      const shown = isAbsolute(relative('', file)) || relative('', file).startsWith('..') ? file : relative('', file);
      const wrong = (message: string, suggestion?: string) => problems.push(problemIn(shown, message, {}, suggestion));
      if (!NAME.test(name)) {
        wrong(`"${name}" is no name of a taskserv`, 'lower-case letters, digits and hyphens');
        continue;
      }
      const compiled = await compileModule(file, folder);
      if (Array.isArray(compiled)) {
        problems.push(...compiled.map((problem) => (problem.file === file ? { ...problem, file: shown } : problem)));
        continue;
      }
      const taskserv = await made(name, compiled.code, addressOf(compiled.code)).catch(
        (error: unknown) => void wrong(messageOf(error)),
      );
      if (!taskserv) continue;
      const before = modules.get(name)?.origin ?? (Object.hasOwn(platform, name) ? 'platform' : undefined);
      if (before && !taskserv.overrides) {
        wrong(`there is a taskserv "${name}" of the ${before}`, 'give it another name, or "overrides: true" to take its place');
        continue;
      }
      const { code, imports } = compiled;
      const texts = await Promise.all([file, ...imports].map(async (path) => ({ file: path, text: await readFile(path, 'utf8') })));
      modules.set(name, { origin, file, code, texts, taskserv, ...(before && { instead: before }) });
    }
  }
  return { modules, problems };
}

/** A registry in which modules stand beside those of the platform, or in their place. */
export const withOwn = (platform: TaskservRegistry, modules: ReadonlyMap<string, OwnModule>): TaskservRegistry => ({
  ...platform,
  ...Object.fromEntries([...modules].map(([name, { taskserv }]) => [name, { ...taskserv, load: async () => taskserv }])),
});

function made(name: string, code: string, address: string): Promise<OwnTaskserv> {
  const key = `${name} ${address}`;
  const taskserv = known.get(key) ?? ownTaskserv(name, code, address);
  known.set(key, taskserv);
  taskserv.catch(() => known.delete(key));
  return taskserv;
}

async function filesIn(folder: string): Promise<{ name: string; file: string }[]> {
  const within = join(folder, 'taskservs');
  const entries = await readdir(within, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
  const found = entries.flatMap((entry) => {
    const own = join(within, entry.name, `${entry.name}.ts`);
    // A folder without one has what others import.
    if (entry.isDirectory()) return existsSync(own) ? [{ name: entry.name, file: own }] : [];
    const [, name] = /^(.+)(?<!\.test|\.d)\.ts$/.exec(entry.name) ?? [];
    return name === undefined ? [] : [{ name, file: join(within, entry.name) }];
  });
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}
