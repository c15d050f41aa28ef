import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Definition } from '../../core/definition/definition.js';
import type { OperationResult } from '../../core/operation/operation.js';
import { understand } from '../../definition/load-definition.js';
import { readYaml } from '../../definition/source/source.js';
import { providers } from '../../providers/registry.generated.js';
import { taskservs } from '../../taskservs/registry.generated.js';
import { containersOf, installsOf, repeatedSteps, shellOf } from './hosts.js';
import { modules } from './modules.js';

const file = join(import.meta.dirname, '../../examples/quickstart.yaml');

/** Returns the quickstart under a separate name, beside one that may be deployed here. */
export async function quickstartAs(infra: string, change = (text: string) => text): Promise<Definition> {
  const text = await readFile(file, 'utf8');
  const source = readYaml('quickstart.yaml', change(text.replace(/^infra: quickstart$/m, `infra: ${infra}`)));
  const options = { workspace: 'default', registries: { providers, taskservs }, secretNames: new Set<string>() };
  const loaded = understand(source, options, modules);
  if (!loaded.definition) throw new Error(`examples/quickstart.yaml: ${loaded.problems[0]?.message}`);
  return loaded.definition;
}

/** Returns the faults on hosts of an infra after an operation: unhealthy, missing or repeated work. */
export async function faultsOn(definition: Definition, result: OperationResult): Promise<string[]> {
  const faults: string[] = [];
  const demand = (holds: boolean, otherwise: string) => void (holds || faults.push(otherwise));
  demand(result.status === 'done', `it ended ${result.status}: ${result.error?.step} on ${result.error?.on}: ${result.error?.why}`);
  for (const { server, taskserv, healthy, why } of result.services)
    demand(healthy, `${taskserv} on ${server} is not healthy: ${why}`);
  const wanted = definition.servers.reduce((sum, server) => sum + server.taskservs.length, 0);
  demand(result.services.length === wanted, `${result.services.length} services instead of ${wanted}`);
  for (const { name } of definition.servers) {
    const containers = await containersOf(definition.infra, name);
    demand(containers.length === 1, `${containers.length} containers for ${name}`);
    const shell = shellOf(definition.infra, name);
    const installs = Object.entries(await installsOf(shell));
    demand(installs.length > 0, `nothing was installed on ${name}`);
    for (const [name_, times] of installs) demand(times === 1, `${name_} was installed ${times} times on ${name}`);
    for (const line of await repeatedSteps(shell)) faults.push(`twice on ${name}: ${line}`);
  }
  return faults;
}
