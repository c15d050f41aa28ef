import type { Definition, TaskservSpec } from '../../core/definition/definition.js';
import { inputError } from '../../core/errors.js';
import type { Inventory, InventoryServer } from '../../core/infra/inventory.js';
import { locateApp } from '../../core/taskserv/app-layout.js';
import { taskservIn } from '../../core/taskserv/instances.js';
import type { Engine } from '../engine.js';
import { queryInventory } from '../infra/entity.js';

/** The taskserv of applications. */
export const APP = 'app';

/** Parts of its configuration that methods need. */
export interface AppConfig {
  name: string;
  processes: Record<string, { command: string }>;
}

/** An application as it is deployed: the infra, and the servers that have it. */
export interface Application {
  inventory: Inventory & { definition: Definition };
  servers: InventoryServer[];
  config: AppConfig;
}

/** An application in an infra, and optionally the names of some servers. */
export interface ApplicationPlace {
  workspace: string;
  infra: string;
  application: string;
  servers?: readonly string[] | undefined;
}

/** The applications that an infra has on at least one existing server. */
export function findApplications({ definition, ...inventory }: Inventory): Application[] {
  const found = new Map<string, Application>();
  for (const { name, taskservs } of definition?.servers ?? [])
    for (const spec of taskservs) {
      const server = inventory.servers[name];
      if (!definition || !server || taskservIn(spec.name) !== APP) continue;
      const config = configOf(spec);
      const known = found.get(config.name) ?? { inventory: { ...inventory, definition }, servers: [], config };
      if (!known.servers.includes(server)) known.servers.push(server);
      found.set(config.name, known);
    }
  return [...found.values()];
}

const configOf = ({ config }: Pick<TaskservSpec, 'config'>): AppConfig => config as AppConfig;

/**
 * Finds an application of an infra.
 *
 * @param what is attempted, for errors
 * @throws inputError `unknown-infra`, `unknown-app`
 */
export async function findApplication(
  engine: Engine,
  { workspace, infra, application: name, servers }: ApplicationPlace,
  what: string,
): Promise<Application> {
  const inventory = await queryInventory(engine, { workspace, infra });
  if (!inventory) {
    const why = `the workspace "${workspace}" has no such infra`;
    throw inputError({ code: 'unknown-infra', what: 'find the infra', on: infra, why, hint: 'provisioning infra list' });
  }
  const found = findApplications(inventory).find(({ config }) => config.name === name);
  if (found) return servers ? chooseServers(found, servers, what) : found;
  const why = `no server of the infra "${infra}" has an application of this name`;
  throw inputError({ code: 'unknown-app', what, on: name, why, hint: 'provisioning inventory' });
}

/** The application on these servers only. @throws inputError `unknown-app` for a server that does not have it */
export function chooseServers(app: Application, names: readonly string[], what: string): Application {
  const missing = names.find((one) => !app.servers.some((server) => server.name === one));
  if (missing === undefined) return { ...app, servers: app.servers.filter((one) => names.includes(one.name)) };
  throw inputError({
    code: 'unknown-app',
    what,
    on: app.config.name,
    why: `the server "${missing}" does not have it`,
    hint: `it is on ${app.servers.map((one) => one.name).join(', ')}`,
  });
}

/** The unit of a process, the first one by default. @throws inputError `unknown-process` */
export function unitOf({ config: { name, processes } }: Pick<Application, 'config'>, process = Object.keys(processes)[0] ?? '') {
  if (Object.hasOwn(processes, process)) return `${locateApp(name).unitOf(process)}.service`;
  const hint = `it has ${Object.keys(processes).join(', ')}`;
  throw inputError({
    code: 'unknown-process',
    what: 'find the process',
    on: `${name} ${process}`,
    why: 'the application has no process with this name',
    hint,
  });
}
