import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Definition } from '../../core/definition/definition.js';
import type { ProviderRegistry, TaskservRegistry } from '../../core/registry.js';
import { workspaceFolder } from '../../definition/layers/workspace-folder.js';
import type { ModuleFolder, OwnModule } from '../../definition/modules/own-modules.js';
import type { Problem } from '../../definition/source/problem.js';
import type { FileText } from '../../definition/source/source.js';
import { addressOfFile } from '../bundle/bundle-store.js';
import type { Context } from '../context.js';

/** All taskservs and providers that there are; what is not known of them without it is loaded where it is needed. */
export interface Registries {
  taskservs: TaskservRegistry;
  providers: ProviderRegistry;
}

/** The same with the modules of a workspace and of its user. */
export interface RegistriesWithOwn extends Registries {
  /** By name, those that count. */
  own: ReadonlyMap<string, OwnModule>;
  /** What is wrong with modules. */
  problems: Problem[];
}

/** Those of the platform. */
export async function registries(): Promise<Registries> {
  const [{ taskservs }, { providers }] = await Promise.all([
    import('../../taskservs/registry.generated.js'),
    import('../../providers/registry.generated.js'),
  ]);
  return { taskservs, providers };
}

/**
 * Those of the platform, of the user (`taskservs/` in the home) and of the workspace (`taskservs/` in its folder).
 *
 * @param file a definition of the workspace; default: the folder that the context is in
 */
export async function registriesFor(
  context: Pick<Context, 'home' | 'workspace' | 'folder'>,
  file?: string,
): Promise<RegistriesWithOwn> {
  const platform = await registries();
  const folders = await foldersOf(context, file);
  if (folders.length === 0) return { ...platform, own: new Map(), problems: [] };
  const { ownModules, withOwn } = await import('../../definition/modules/own-modules.js');
  const { modules, problems } = await ownModules(folders, platform.taskservs, (code) => addressOfFile(context.workspace, code));
  return { ...platform, taskservs: withOwn(platform.taskservs, modules), own: modules, problems };
}

async function foldersOf({ home, folder }: Pick<Context, 'home' | 'folder'>, file?: string): Promise<ModuleFolder[]> {
  const ofFile = file === undefined ? undefined : await workspaceFolder(file);
  // What lies beside a definition without a workspace may be about anything.
  const workspace = ofFile ? (ofFile.isMarked ? ofFile.folder : undefined) : folder;
  const all: ModuleFolder[] = [{ origin: 'user', folder: home.root }];
  if (workspace !== undefined) all.push({ origin: 'workspace', folder: workspace });
  return all.filter((one) => existsSync(join(one.folder, 'taskservs')));
}

/** The texts of the modules that a definition uses: the code that goes with it, and what that was made of. */
export function textsOfModules(definition: Definition, own: ReadonlyMap<string, OwnModule>): FileText[] {
  const used = new Set(definition.servers.flatMap(({ taskservs }) => taskservs.flatMap(({ module }) => module ?? [])));
  return [...own].flatMap(([name, { file, code, texts, taskserv }]) =>
    used.has(taskserv.module) ? [...texts, { file: join(dirname(file), `${name}.compiled.js`), text: code }] : [],
  );
}

/** Whether a definition needs code that comes with it. */
export const usesModules = ({ servers }: Definition): boolean =>
  servers.some(({ taskservs }) => taskservs.some(({ module }) => module !== undefined));
