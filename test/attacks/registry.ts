import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What a workflow can be told or asked, as its module defines it. */
export interface Message {
  kind: 'signal' | 'update' | 'query';
  name: string;
  /** The name of the file in workflows/ that defines it: operations and batches have some of one name. */
  module: string;
}

/** All that can be said to a worker of one version through Temporal. */
export interface Registry {
  workflows: string[];
  messages: Message[];
  activities: string[];
}

const KINDS = new Set(['signal', 'update', 'query']);

/** A query that the SDK answers for every workflow, past all interceptors; those for stack traces it refuses by itself. */
export const OF_THE_SDK = ['__temporal_workflow_metadata'];

/** Read from the code of a checkout: what its modules export, so that nobody keeps a list. */
export async function registryOf(checkout: string): Promise<Registry> {
  const load = (path: string): Promise<Record<string, unknown>> => import(pathToFileURL(join(checkout, path)).href);
  const workflows = Object.keys(await load('workflows/index.ts')).filter((name) => name !== 'default');
  const files = (await readdir(join(checkout, 'workflows'), { recursive: true })).filter((name) => /^[^.]+\.ts$/.test(name));
  const messages: Message[] = [];
  for (const file of files.sort()) {
    for (const value of Object.values(await load(join('workflows', file)))) {
      const { type, name } = (value ?? {}) as Record<string, unknown>;
      if (!KINDS.has(String(type)) || typeof name !== 'string') continue;
      messages.push({ kind: type as Message['kind'], name, module: basename(file, '.ts') });
    }
  }
  const { createActivities } = await load('activities/index.ts');
  // They are made from what they need, and ask for it when they are called.
  const activities = Object.keys((createActivities as (dependencies: object) => object)({}));
  return { workflows: workflows.sort(), messages, activities: activities.sort() };
}
