import * as z from 'zod';
import { batchFile } from '../../core/schema/batch.js';
import { definitionFile } from '../../core/schema/definition.js';

/** Types of values, in terms of typed languages. */
export type Type =
  | { kind: 'text'; pattern?: string; most?: number }
  | { kind: 'integer'; least?: number; most?: number }
  | { kind: 'number' | 'switch' | 'any' }
  | { kind: 'choice'; values: readonly string[] }
  | { kind: 'shape'; name: string }
  | { kind: 'list' | 'map'; of: readonly Type[] };

export interface Field {
  name: string;
  about?: string;
  required: boolean;
  /** Any of these. */
  types: readonly Type[];
}

/** A map with known keys. */
export interface Shape {
  name: string;
  about?: string;
  fields: readonly Field[];
}

type Schema = z.core.JSONSchema.JSONSchema;

/** Names of the maps that people write; others are named for where they are. */
const NAMES: Readonly<Record<string, string>> = {
  servers: 'Server',
  domains: 'Zone',
  networks: 'Network',
  taskservs: 'Taskserv',
  'servers.taskservs': 'ServerTaskserv',
  'servers.volumes': 'Volume',
  'servers.firewall': 'FirewallRule',
  'servers.host': 'Host',
  update: 'Update',
  vars: 'Variable',
  operations: 'Operation',
};

/**
 * Maps of definitions and batches, each before the maps that refer to it. They come from the schema that checks
 * definitions.
 */
export function fieldsOf(): { shapes: readonly Shape[] } {
  const shapes: Shape[] = [];
  const known = new Map<string, string>();
  const build = (schema: Schema, at: string, wanted: string): string => {
    const { default: _, ...plain } = schema;
    const text = JSON.stringify({ ...plain, description: undefined });
    const before = known.get(text);
    if (before !== undefined) return before;
    const taken = shapes.some(({ name }) => name === wanted);
    const name = taken ? `${wanted}${shapes.length}` : wanted;
    const fields = Object.entries(schema.properties ?? {}).map(([key, value]): Field => {
      const inside = value as Schema;
      const preset = typeof inside.default === 'object' || inside.default === undefined ? '' : ` Default: ${inside.default}`;
      const about = inside.description === undefined ? undefined : `${inside.description.replace(/\.$/, '')}.${preset}`;
      const required = schema.required?.includes(key) ?? false;
      return { name: key, about, required, types: typesOf(inside, at === '' ? key : `${at}.${key}`) };
    });
    known.set(text, name);
    shapes.push({ name, about: schema.description, fields });
    return name;
  };
  const typesOf = (schema: Schema, at: string): Type[] => {
    const branches = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
    if (branches) return merged(branches.flatMap((one) => typesOf(one, at)));
    if (schema.const !== undefined)
      return [typeof schema.const === 'string' ? { kind: 'choice', values: [schema.const] } : { kind: 'any' }];
    if (schema.enum) return [{ kind: 'choice', values: schema.enum.map(String) }];
    if (schema.type === 'string') return [{ kind: 'text', pattern: simple(schema.pattern), most: schema.maxLength }];
    if (schema.type === 'integer') return [{ kind: 'integer', least: within(schema.minimum), most: within(schema.maximum) }];
    if (schema.type === 'number') return [{ kind: 'number' }];
    if (schema.type === 'boolean') return [{ kind: 'switch' }];
    if (schema.type === 'array') return [{ kind: 'list', of: typesOf((schema.items ?? {}) as Schema, at) }];
    if (schema.type === 'object' && schema.properties) return [{ kind: 'shape', name: build(schema, at, nameOf(at)) }];
    if (schema.type === 'object') return [{ kind: 'map', of: typesOf((schema.additionalProperties ?? {}) as Schema, at) }];
    return [{ kind: 'any' }];
  };
  for (const [schema, name] of [
    [definitionFile, 'Infra'],
    [batchFile, 'Batch'],
  ] as const)
    build(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }), '', name);
  return { shapes };
}

const nameOf = (at: string): string =>
  NAMES[at] ??
  at
    .split('.')
    .slice(-2)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1).replace(/s$/, ''))
    .join('');

/** One of each; anything takes the others in. */
function merged(types: readonly Type[]): Type[] {
  const any = types.find(({ kind }) => kind === 'any');
  if (any) return [any];
  const texts = types.filter(({ kind }) => kind === 'text');
  // If two rules for texts exist, either may apply.
  const once = texts.length > 1 ? [...types.filter(({ kind }) => kind !== 'text'), { kind: 'text' as const }] : types;
  return [...new Map(once.map((type) => [JSON.stringify(type), type])).values()];
}

/** Bounds that the schema's author set, without those of a safe integer. */
const within = (bound: number | undefined): number | undefined =>
  bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined;

/** Patterns that regular expressions of other languages have as well. */
const simple = (pattern: string | undefined): string | undefined =>
  pattern !== undefined && !/\(\?|\\p|\\u|"/.test(pattern) ? pattern : undefined;
