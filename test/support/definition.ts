import type * as z from 'zod';
import type { Definition } from '../../core/definition/definition.js';
import type { definitionFile } from '../../core/schema/definition.js';
import { understand } from '../../definition/load-definition.js';
import { readJson } from '../../definition/source/source.js';
import { providers } from '../../providers/registry.generated.js';
import { taskservs } from '../../taskservs/registry.generated.js';
import { modules } from './modules.js';

export type Written = z.input<typeof definitionFile>;

/** What a definition file of this content says, as the command line would load it. */
export function definitionOf(file: Written, secrets: readonly string[] = []): Definition {
  const options = { workspace: 'default', registries: { providers, taskservs }, secretNames: new Set(secrets) };
  const { definition, problems } = understand(readJson('test.json', JSON.stringify(file)), options, modules);
  if (definition) return definition;
  throw new Error(problems.map(({ path, message }) => `${path}: ${message}`).join('\n'));
}

/** Servers of the demo provider, in an infra of this name. */
export const demoDefinition = (infra: string, file: Omit<Written, 'infra' | 'provider'>): Definition =>
  definitionOf({ infra, provider: 'demo', ...file });
