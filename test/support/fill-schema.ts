import type * as z from 'zod';

/** Texts that one of the patterns of inputs takes. */
const TEXTS = ['text', 'a'.repeat(64), 'a'.repeat(24), '/srv/text', '2026-01-01T00:00:00.000Z', 'YQ==', '30m', 'cluster', '1'];

/**
 * Returns the smallest input that a schema accepts: only required fields, unless their keys are given.
 *
 * @param texts by key, for text fields; optional fields with these keys are filled too
 */
export function fillSchema(schema: z.ZodType, texts: Readonly<Record<string, string>>): unknown {
  const fill = (node: z.ZodType, key: string): unknown => {
    const def = node._zod.def as unknown as Record<string, unknown>;
    const takes = (value: unknown) => node.safeParse(value).success;
    switch (def.type) {
      case 'object':
        return Object.fromEntries(
          Object.entries(def.shape as Record<string, z.ZodType>)
            .filter(([name, field]) => name in texts || !field.safeParse(undefined).success)
            .map(([name, field]) => [name, fill(field, name)]),
        );
      case 'array':
        return takes([]) && !(key in texts) ? [] : [fill(def.element as z.ZodType, key)];
      case 'record':
        return {};
      case 'union':
        return (def.options as z.ZodType[]).map((option) => fill(option, key)).find(takes);
      case 'enum':
        return Object.values(def.entries as object)[0];
      case 'literal':
        return (def.values as unknown[])[0];
      case 'boolean':
        return true;
      case 'number':
        return [0, 1, 2].find(takes);
      case 'string':
        return [texts[key], ...TEXTS].find((text) => text !== undefined && takes(text));
      case 'lazy':
        return fill((def.getter as () => z.ZodType)(), key);
      default:
        return def.innerType === undefined ? 'text' : fill(def.innerType as z.ZodType, key);
    }
  };
  return fill(schema, '');
}
