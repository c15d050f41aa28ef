import * as z from 'zod';
import type { Path } from './problem.js';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** The keys that a schema knows at a path, whichever branch of a union they are in. */
export function keysAt(schema: z.ZodType, path: Path): string[] {
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as JsonSchema;
  let here = branches(root, root);
  for (const key of path) {
    here = here.flatMap((one) => {
      const next =
        typeof key === 'number' || (one.type === 'array' && one.items !== undefined)
          ? one.items
          : (one.properties?.[key] ?? one.additionalProperties);
      return typeof next === 'object' && !Array.isArray(next) ? branches(next as JsonSchema, root) : [];
    });
  }
  return [...new Set(here.flatMap((one) => Object.keys(one.properties ?? {})))];
}

function branches(schema: JsonSchema, root: JsonSchema): JsonSchema[] {
  const target = schema.$ref?.replace(/^#\/\$defs\//, '');
  const resolved = target === undefined ? schema : ((root.$defs?.[target] as JsonSchema | undefined) ?? schema);
  const unions = [...(resolved.anyOf ?? []), ...(resolved.oneOf ?? []), ...(resolved.allOf ?? [])] as JsonSchema[];
  return [resolved, ...unions.flatMap((one) => branches(one, root))];
}
