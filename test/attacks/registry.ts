import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A message of a workflow, as its module defines it. */
export interface Message {
  kind: 'signal' | 'update' | 'query';
  name: string;
  /** Name of the file in workflows/ that defines it. Operations and batches have messages with the same name. */
  module: string;
}

/** Everything that Temporal can deliver to a worker of one version. */
export interface Registry {
  workflows: string[];
  messages: Message[];
  activities: string[];
}

const KINDS = new Set(['signal', 'update', 'query']);

/**
 * A query that the SDK answers for every workflow without interceptors. It rejects queries for stack traces
 * automatically.
 */
export const OF_THE_SDK = ['__temporal_workflow_metadata'];

/** Reads the registry from the exports of a checkout's modules, so that no list has to be maintained. */
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
  // Activities get their dependencies at creation, and use them only when they are called.
  const activities = Object.keys((createActivities as (dependencies: object) => object)({}));
  return { workflows: workflows.sort(), messages, activities: activities.sort() };
}
