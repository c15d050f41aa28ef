import { loadModules } from '../../core/registry.js';
import { providers } from '../../providers/registry.generated.js';
import { taskservs } from '../../taskservs/registry.generated.js';

/** All modules, loaded. */
export const modules = { taskservs: await loadModules(taskservs), providers: await loadModules(providers) };
