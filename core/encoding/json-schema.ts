/** As much of JSON Schema (draft 2020-12) as requests need. */
export interface JsonSchema {
  readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly items?: JsonSchema | false;
  readonly prefixItems?: readonly JsonSchema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/**
 * Returns the first place at which a value violates its schema, `intent.verb: …`. Undefined if the value is valid.
 * Values are not quoted, because they may be secret.
 *
 * @param strict whether unknown properties are a problem
 */
export function problemIn(schema: JsonSchema, value: unknown, strict: boolean, at = ''): string | undefined {
  const wrong = (why: string) => `${at || 'the request'}: ${why}`;
  const below = (key: string | number) => (at ? `${at}.${key}` : String(key));
  if (schema.anyOf) {
    const found = schema.anyOf.map((one) => problemIn(one, value, strict, at));
    // Among several forms, the problem of the closest one is returned: the one with the deepest problem.
    return found.includes(undefined) ? undefined : (found as string[]).reduce((a, b) => (depth(b) > depth(a) ? b : a));
  }
  if ('const' in schema && value !== schema.const) return wrong(`must be ${JSON.stringify(schema.const)}`);
  if (schema.enum && !schema.enum.includes(value)) return wrong(`must be one of ${schema.enum.join(', ')}`);
  switch (schema.type) {
    case 'string':
      if (typeof value !== 'string') return wrong('must be a text');
      if (value.length < (schema.minLength ?? 0)) return wrong('must not be empty');
      if (value.length > (schema.maxLength ?? Number.POSITIVE_INFINITY))
        return wrong(`must have at most ${schema.maxLength} characters`);
      return schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)
        ? wrong(`must match ${schema.pattern}`)
        : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : wrong('must be true or false');
    case 'number':
    case 'integer': {
      if (typeof value !== 'number' || !Number.isFinite(value)) return wrong('must be a number');
      if (schema.type === 'integer' && !Number.isInteger(value)) return wrong('must be a whole number');
      if (value < (schema.minimum ?? value)) return wrong(`must be at least ${schema.minimum}`);
      return value > (schema.maximum ?? value) ? wrong(`must be at most ${schema.maximum}`) : undefined;
    }
    case 'array': {
      if (!Array.isArray(value)) return wrong('must be a list');
      const { prefixItems = [], items, minItems = prefixItems.length } = schema;
      if (value.length > (schema.maxItems ?? value.length)) return wrong(`must have at most ${schema.maxItems} elements`);
      if (value.length < minItems) return wrong(`must have at least ${minItems} elements`);
      return first(value, (one, index) => {
        const own = prefixItems[index] ?? items;
        return own ? problemIn(own, one, strict, below(index)) : undefined;
      });
    }
    case 'object': {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong('must be an object');
      const { properties = {}, required = [], additionalProperties } = schema;
      const fields = value as Record<string, unknown>;
      // JSON has no undefined: what is not there is left out.
      const missing = required.find((key) => fields[key] === undefined && !isAnything(properties[key]));
      if (missing !== undefined) return `${below(missing)}: is missing`;
      return first(Object.keys(fields), (key) => {
        if (key === '__proto__') return `${below(key)}: is not a field of it`;
        if (fields[key] === undefined) return undefined;
        if (Object.hasOwn(properties, key)) return problemIn(properties[key] as JsonSchema, fields[key], strict, below(key));
        if (typeof additionalProperties === 'object') return problemIn(additionalProperties, fields[key], strict, below(key));
        return strict && additionalProperties === false ? `${below(key)}: is not a field of it` : undefined;
      });
    }
    default:
      return undefined;
  }
}

const isAnything = (schema: JsonSchema | undefined): boolean => schema === undefined || Object.keys(schema).length === 0;
/** How far a value fits before the problem; one of a fixed value says that another form is meant. */
const depth = (problem: string): number =>
  2 * (problem.split(': ')[0]?.split('.').length ?? 0) + (/: must be ["\d]/.test(problem) ? 0 : 1);

function first<T>(items: readonly T[], problemOf: (item: T, index: number) => string | undefined): string | undefined {
  for (const [index, item] of items.entries()) {
    const problem = problemOf(item, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
