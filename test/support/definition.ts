import type * as z from 'zod';
import type { Definition } from '../../core/definition/definition.js';
import type { definitionFile } from '../../core/schema/definition.js';
import { taskservNamed } from '../../core/taskserv/instances.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import { understand } from '../../definition/load-definition.js';
import { findNamed } from '../../definition/named-in.js';
import { readJson } from '../../definition/source/source.js';
import { providers } from '../../providers/registry.generated.js';
import { taskservs } from '../../taskservs/registry.generated.js';
import { modules } from './modules.js';

export type Written = z.input<typeof definitionFile>;

/** Returns the definition from a file with this content, as the command line would load it. */
export function definitionOf(file: Written, secrets: readonly string[] = []): Definition {
  const options = { workspace: 'default', registries: { providers, taskservs }, secretNames: new Set(secrets) };
  const all = { ...modules, taskservs: { ...modules.taskservs, ...instancesIn(file) } };
  const { definition, problems } = understand(readJson('test.json', JSON.stringify(file)), options, all);
  if (definition) return definition;
  throw new Error(problems.map(({ path, message }) => `${path}: ${message}`).join('\n'));
}

/** Returns the instances that a file names, and their companions. */
function instancesIn(file: Written): Record<string, AnyTaskserv> {
  const made = [...findNamed(file).taskservs]
    .filter((name) => name.includes('@'))
    .flatMap((name) => taskservNamed(modules.taskservs, name) ?? []);
  const brought = made.flatMap(({ companions }) =>
    (companions?.names ?? []).flatMap((name) => taskservNamed(modules.taskservs, name) ?? []),
  );
  return Object.fromEntries([...made, ...brought].map((one) => [one.name, one]));
}

/** Returns a definition with servers of the demo provider, in an infra with this name. */
export const demoDefinition = (infra: string, file: Omit<Written, 'infra' | 'provider'>): Definition =>
  definitionOf({ infra, provider: 'demo', ...file });
