import { expect, test } from 'vitest';
import { configSchema } from './json-schema.js';
import { REGISTRY } from './keys.js';

type Schema = Record<string, unknown> & { properties: Record<string, Schema>; anyOf: Schema[] };

/** Returns the schema of a key: the first alternative, without replacement and null. */
function schemaAt(name: string): { about: Schema; value: Schema } {
  let at = configSchema('user') as Schema;
  for (const part of name.split('.')) at = (at.properties ?? (at.anyOf[0] as Schema).properties)[part] as Schema;
  return { about: at, value: at.anyOf[0] as Schema };
}

test.each([
  ['choice', 'output.progress', { enum: ['auto', 'plain'] }],
  ['switch', 'operation.wait', { type: 'boolean' }],
  ['share', 'rolling.batch', { anyOf: [{ type: 'integer', minimum: 1 }, expect.objectContaining({ type: 'string' })] }],
])('a %s has its own schema', (kind, name, schema) => {
  expect(REGISTRY.keys.get(name)?.type.kind).toBe(kind);
  expect(schemaAt(name).value).toEqual(schema);
});

test('each key has the schema of its kind, its description and its default', () => {
  const types = { text: 'string', number: 'integer', switch: 'boolean', rates: 'object', choice: undefined, share: undefined };
  for (const { name, type, description, default: value } of REGISTRY.keys.values()) {
    const { about, value: schema } = schemaAt(name);
    if (type.kind !== 'field') expect(schema.type, name).toBe(types[type.kind]);
    expect(about.description, name).toContain(description);
    expect(about.default, name).toEqual(value);
  }
});
