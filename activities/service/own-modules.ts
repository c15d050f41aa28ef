import { textOfRecord } from '../../core/definition/bundle.js';
import { inputError } from '../../core/errors.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import { type OwnTaskserv, ownTaskserv } from '../../modules/own-taskserv.js';
import type { Dependencies } from '../dependencies.js';

/** Modules that are kept in memory; each has an engine of its own. */
const KEPT = 16;
/** Milliseconds after which one that could not be started is tried again. */
const FAILED_MS = 60_000;

/** A taskserv that may be a module of the workspace, as definitions, the inventory and load balancers name it. */
interface Named {
  name?: string;
  taskserv?: string;
  module?: string;
}

/**
 * The taskservs of the platform by name, and those of the workspace among `named` by the address of their code.
 *
 * @throws inputError `module-missing`, `module-failed`
 */
export type OwnAmong = (workspace: string, named: readonly Named[]) => Promise<Record<string, AnyTaskserv>>;

/** Reads modules from where they are kept with definitions, each once. */
export function ownModulesIn({ taskservs, blobs }: Pick<Dependencies, 'taskservs' | 'blobs'>): OwnAmong {
  const known = new Map<string, Promise<OwnTaskserv>>();

  async function read(workspace: string, name: string, module: string): Promise<OwnTaskserv> {
    // The workspace is part of what is kept: a definition of another one, which knows the address, reads nothing.
    const code = (await blobs.has(module)) ? textOfRecord(workspace, await blobs.get(module)) : undefined;
    if (code !== undefined) return ownTaskserv(name, code, module);
    throw inputError({
      code: 'module-missing',
      what: 'find the code of the taskserv',
      on: name,
      why: `the workspace "${workspace}" has no code with this address here`,
      hint: 'apply the definition again from the folder of its workspace',
    });
  }

  function moduleOf(workspace: string, name: string, module: string): Promise<OwnTaskserv> {
    const key = `${workspace} ${name} ${module}`;
    const found = known.get(key) ?? read(workspace, name, module);
    // The one that was used last goes last.
    known.delete(key);
    known.set(key, found);
    found.catch(() => setTimeout(() => known.get(key) === found && known.delete(key), FAILED_MS).unref());
    if (known.size > KEPT) known.delete(known.keys().next().value as string);
    return found;
  }

  return async (workspace, named) => {
    const own = new Map(
      named.flatMap(({ name, taskserv = name, module }) => (module && taskserv ? [[module, taskserv] as const] : [])),
    );
    if (own.size === 0) return taskservs;
    const found = await Promise.all(
      [...own].map(async ([module, name]) => [module, await moduleOf(workspace, name, module)] as const),
    );
    return { ...taskservs, ...Object.fromEntries(found) };
  };
}
