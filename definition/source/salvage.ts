import type * as z from 'zod';
import {
  type DefinitionFile,
  definitionFile,
  type NetworkEntry,
  networkEntry,
  type ServerEntry,
  serverEntry,
  type TaskservEntry,
  taskservEntry,
  type ZoneEntry,
  zoneEntry,
} from '../../core/schema/definition.js';

/** Valid parts of a file. Invalid entries are omitted, and the others keep their index. */
export interface SalvagedDefinition {
  settings: Pick<
    DefinitionFile,
    'infra' | 'provider' | 'region' | 'onFailure' | 'onTimeout' | 'protect' | 'update' | 'approve' | 'mirrors' | 'artifacts'
  >;
  /** Zones by name. An invalid zone has only its name. */
  zones: ReadonlyMap<string, ZoneEntry>;
  networks: { index: number; entry: NetworkEntry }[];
  servers: { index: number; entry: ServerEntry }[];
  taskservs: { index: number; entry: TaskservEntry }[];
}

/**
 * Reads the valid parts of a faulty file, so that further faults are reported in the same run. The faults of dropped
 * parts are already reported.
 */
export function salvage(value: unknown): SalvagedDefinition {
  const file = isRecord(value) ? value : {};
  const setting = <K extends keyof SalvagedDefinition['settings']>(key: K): DefinitionFile[K] => {
    const parsed = definitionFile.shape[key].safeParse(file[key]);
    const fallback = key === 'infra' ? 'infra' : definitionFile.shape[key].safeParse(undefined).data;
    return (parsed.success ? parsed.data : fallback) as DefinitionFile[K];
  };
  return {
    settings: {
      infra: setting('infra'),
      provider: setting('provider'),
      region: setting('region'),
      onFailure: setting('onFailure'),
      onTimeout: setting('onTimeout'),
      protect: setting('protect'),
      update: setting('update'),
      approve: setting('approve'),
      mirrors: setting('mirrors'),
      artifacts: setting('artifacts'),
    },
    zones: new Map(
      Object.entries(isRecord(file.domains) ? file.domains : {}).map(([name, zone]) => [name, parsed(zoneEntry, zone) ?? {}]),
    ),
    networks: entries(networkEntry, file.networks),
    servers: entries(serverEntry, file.servers),
    taskservs: entries(taskservEntry, file.taskservs),
  };
}

function entries<T>(schema: z.ZodType<T>, list: unknown): { index: number; entry: T }[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item, index) => {
    const entry = parsed(schema, item);
    return entry === undefined ? [] : [{ index, entry }];
  });
}

/** The value without those of its keys that are wrong, where that is enough. */
function parsed<T>(schema: z.ZodType<T>, value: unknown): T | undefined {
  const first = schema.safeParse(value);
  if (first.success) return first.data;
  if (!isRecord(value)) return undefined;
  const wrong = new Set<unknown>();
  const collect = (issues: readonly z.core.$ZodIssue[]): void => {
    for (const issue of issues) {
      if (issue.path.length > 0) wrong.add(issue.path[0]);
      else if (issue.code === 'unrecognized_keys') for (const key of issue.keys) wrong.add(key);
      else if (issue.code === 'invalid_union') for (const branch of issue.errors) collect(branch);
    }
  };
  collect(first.error.issues);
  // without its target an entry would be for all servers, and clash with what it was never meant for
  if (wrong.has('on')) return undefined;
  return schema.safeParse(Object.fromEntries(Object.entries(value).filter(([key]) => !wrong.has(key)))).data;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
