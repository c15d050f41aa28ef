import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Definition } from '../../core/definition/definition.js';
import type { LoadableTaskservs, ProviderRegistry, TaskservRegistry } from '../../core/registry.js';
import { workspaceFolder } from '../../definition/layers/workspace-folder.js';
import type { ModuleFolder, OwnModule } from '../../definition/modules/own-modules.js';
import { registries } from '../../definition/registries/registries.js';
import { addressOfFile } from '../../definition/source/file-address.js';
import type { FileText } from '../../definition/source/source.js';
import type { Context } from '../context.js';
import { DefinitionError } from '../definition/definition-error.js';

/** Registries with the taskservs of a workspace and its user. These are compiled and loaded on demand. */
export interface RegistriesWithOwn {
  /** Effective taskservs, by name. */
  taskservs: LoadableTaskservs;
  providers: ProviderRegistry;
  platform: TaskservRegistry;
  own: ReadonlyMap<string, OwnModule>;
}

/**
 * Returns the taskservs of the platform, the user (`taskservs/` in the home) and the workspace (`taskservs/` in its
 * folder). Errors in a workspace's taskserv are thrown as DefinitionError when it is loaded.
 *
 * @param file a definition of the workspace; default: the folder of the context
 */
export async function registriesFor(
  context: Pick<Context, 'home' | 'workspace' | 'folder'>,
  file?: string,
): Promise<RegistriesWithOwn> {
  const { taskservs: platform, providers } = await registries();
  const folders = await foldersOf(context, file);
  if (folders.length === 0) return { taskservs: platform, providers, platform, own: new Map() };
  const { ModuleProblems, ownModules } = await import('../../definition/modules/own-modules.js');
  const own = await ownModules(folders, platform, (code) => addressOfFile(context.workspace, code));
  const loading = async (module: OwnModule) => {
    const loaded = await module.load().catch((error: unknown) => {
      throw error instanceof ModuleProblems ? new DefinitionError(relative('', module.file), error.problems, 'taskserv') : error;
    });
    return loaded.taskserv;
  };
  const entries = [...own].map(([name, module]) => [name, { load: () => loading(module) }] as const);
  return { taskservs: { ...platform, ...Object.fromEntries(entries) }, providers, platform, own };
}

async function foldersOf({ home, folder }: Pick<Context, 'home' | 'folder'>, file?: string): Promise<ModuleFolder[]> {
  const ofFile = file === undefined ? undefined : await workspaceFolder(file);
  // Files beside a definition without a workspace may be unrelated.
  const workspace = ofFile ? (ofFile.isMarked ? ofFile.folder : undefined) : folder;
  const all: ModuleFolder[] = [{ origin: 'user', folder: home.root }];
  if (workspace !== undefined) all.push({ origin: 'workspace', folder: workspace });
  return all.filter((one) => existsSync(join(one.folder, 'taskservs')));
}

/** Returns the texts of the modules that a definition uses: the compiled code and its sources. */
export async function textsOfModules(definition: Definition, own: ReadonlyMap<string, OwnModule>): Promise<FileText[]> {
  const used = new Set(
    definition.servers.flatMap(({ taskservs }) => taskservs.flatMap(({ name, module }) => (module === undefined ? [] : [name]))),
  );
  const texts = [...own].map(async ([name, { file, load }]) => {
    if (!used.has(name)) return [];
    const { code, sources } = await load();
    return [...sources, { file: join(dirname(file), `${name}.compiled.js`), text: code }];
  });
  return (await Promise.all(texts)).flat();
}

/** Returns whether a definition needs code that comes with it. */
export const usesModules = ({ servers }: Definition): boolean =>
  servers.some(({ taskservs }) => taskservs.some(({ module }) => module !== undefined));
