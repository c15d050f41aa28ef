import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { messageOf } from '../../core/errors.js';
import { NAME } from '../../core/names.js';
import type { TaskservRegistry } from '../../core/registry.js';
import { type OwnTaskserv, ownTaskserv } from '../../modules/own-taskserv.js';
import { problemIn } from '../languages/evaluation.js';
import type { Problem } from '../source/problem.js';
import type { FileText } from '../source/source.js';
import { compileModule } from './compile.js';

/** Whose a module is; a later one takes the place of an earlier one where it says so. */
export type Origin = 'platform' | 'user' | 'workspace';

/** A taskserv that is no part of the platform. */
export interface OwnModule {
  origin: Exclude<Origin, 'platform'>;
  file: string;
  /** Whose taskserv of the same name it takes the place of. */
  instead?: Origin;
  /** Compiles and starts it, once. @throws ModuleProblems */
  load(): Promise<LoadedModule>;
}

export interface LoadedModule {
  code: string;
  /** The files that the code was made of. */
  sources: FileText[];
  taskserv: OwnTaskserv;
}

/** Problems of a module, with their places. */
export class ModuleProblems extends Error {
  constructor(readonly problems: Problem[]) {
    super('the module has problems');
  }
}

/** A folder that has modules: `taskservs/NAME/NAME.ts` or `taskservs/NAME.ts` in it. */
export interface ModuleFolder {
  origin: OwnModule['origin'];
  folder: string;
}

/**
 * Finds the modules of folders by their names; none is read before it is loaded.
 *
 * @param folders each in front of the ones before, and of the platform
 * @param addressOf the content address of a module's code
 */
export async function ownModules(
  folders: readonly ModuleFolder[],
  platform: TaskservRegistry,
  addressOf: (code: string) => string,
): Promise<Map<string, OwnModule>> {
  const modules = new Map<string, OwnModule>();
  for (const { origin, folder } of folders) {
    for (const { name, file } of await filesIn(folder)) {
      const before = modules.get(name);
      const instead = before?.origin ?? (Object.hasOwn(platform, name) ? ('platform' as const) : undefined);
      const twin = before?.origin === origin ? before.file : undefined;
      let loaded: Promise<LoadedModule> | undefined;
      const load = () => {
        loaded ??= loadModule({ name, file, root: folder, addressOf, instead, twin });
        return loaded;
      };
      modules.set(name, { origin, file, load, ...(instead && { instead }) });
    }
  }
  return modules;
}

interface Loading {
  name: string;
  file: string;
  /** The folder that its imports do not leave. */
  root: string;
  addressOf(code: string): string;
  instead: Origin | undefined;
  /** Another file of the same folder that has the name. */
  twin: string | undefined;
}

async function loadModule({ name, file, root, addressOf, instead, twin }: Loading): Promise<LoadedModule> {
  const fail = (message: string, suggestion?: string): never => {
    throw new ModuleProblems([problemIn(relative('', file), message, {}, suggestion)]);
  };
  if (!NAME.test(name)) fail(`"${name}" is not a valid name of a taskserv`, 'lower-case letters, digits and hyphens');
  if (twin !== undefined) fail(`"${name}" is defined twice`, `remove this file, or ${relative('', twin)}`);
  const compiled = await compileModule(file, root);
  if (Array.isArray(compiled))
    throw new ModuleProblems(
      compiled.map((problem) => (problem.file === file ? { ...problem, file: relative('', file) } : problem)),
    );
  const { code, sources } = compiled;
  const taskserv = await ownTaskserv(name, code, addressOf(code)).catch((error: unknown) => fail(messageOf(error)));
  if (instead && !taskserv.overrides)
    fail(`there is a taskserv "${name}" of the ${instead}`, 'give it another name, or "overrides: true" to take its place');
  return { code, sources, taskserv };
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
  return found.sort((a, b) => (a.file < b.file ? -1 : 1));
}
