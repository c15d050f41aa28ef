import * as z from 'zod';
import type { AnyMethod } from '../../app/method.js';
import type { JsonSchema } from './derive-place.js';

/** Types of zod that JSON has no form for, and that a document may describe as any value. */
const ANY: ReadonlySet<string> = new Set(['any', 'custom', 'unknown', 'void']);
/** Types that would be converted to any value although JSON cannot represent them. */
const NO_JSON: ReadonlySet<string> = new Set([
  'bigint',
  'date',
  'function',
  'map',
  'nan',
  'promise',
  'set',
  'symbol',
  'transform',
  'undefined',
]);

/**
 * Converts a schema to JSON Schema (draft 2020-12, as in OpenAPI 3.1). Its own definitions get names below
 * `components`.
 *
 * @param name of the method, for the names of its definitions
 * @param side input or output of the method
 * @throws Error if JSON cannot represent it
 */
export function convertSchema(schema: z.ZodType, name: string, side: 'input' | 'output'): SchemaParts {
  const {
    $schema: _,
    $defs = {},
    ...root
  } = z.toJSONSchema(schema, {
    io: side,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const type = zodSchema._zod.def.type;
      if (type === 'tuple') describeTuple(jsonSchema as JsonSchema);
      if (NO_JSON.has(type) && !ANY.has(type)) throw new Error(`the ${side} of ${name} has a ${type}, which JSON cannot carry`);
    },
  }) as JsonSchema & { $defs?: Record<string, JsonSchema> };
  const prefix = `${name}.${side}.`;
  const rename = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rename);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inside]) => [
        key,
        key === '$ref' && typeof inside === 'string'
          ? inside.replace('#/$defs/', `#/components/schemas/${prefix}`)
          : rename(inside),
      ]),
    );
  };
  // JSON has no undefined: an absent answer is null.
  const whole = schema._zod.def.type === 'optional' ? { anyOf: [root, { type: 'null' }] } : root;
  const components = Object.entries($defs).map(([key, inside]) => [`${prefix}${key}`, rename(inside) as JsonSchema] as const);
  return { schema: rename(whole) as JsonSchema, components: Object.fromEntries(components) };
}

/**
 * Describes a tuple without `items: false`, which client generators do not support. `maxItems` has the same meaning;
 * items of one form need no `prefixItems`.
 */
function describeTuple(schema: JsonSchema): void {
  const { prefixItems, items } = schema;
  if (!Array.isArray(prefixItems) || items !== false) return;
  delete schema.items;
  schema.minItems ??= prefixItems.length;
  schema.maxItems ??= prefixItems.length;
  if (new Set(prefixItems.map((item) => JSON.stringify(item))).size !== 1) return;
  schema.items = prefixItems[0];
  delete schema.prefixItems;
}

export interface SchemaParts {
  schema: JsonSchema;
  /** Definitions that `schema` refers to, by their names in the document. */
  components: Record<string, JsonSchema>;
}

/** Whether a method answers nothing: an empty response then. */
export const answersNothing = ({ output }: AnyMethod): boolean => output._zod.def.type === 'void';
