import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';

/** A definition, as a file says it. */
export interface ExampleDefinition {
  infra: string;
  provider: string;
  servers: { name: string }[];
  taskservs: { name: string; on: { server: string }; config?: unknown }[];
}

/**
 * A definition with a taskserv in it: its configuration is the first of `examples` in its schema, and what it
 * works together with (`after`) is on another server.
 *
 * @param schema JSON Schema of its configuration
 */
export function exampleOf({ name, after = [] }: AnyTaskserv, schema: { examples?: unknown }): ExampleDefinition {
  const [config] = Array.isArray(schema.examples) ? schema.examples : [];
  return {
    infra: 'example',
    provider: 'local',
    servers: ['main', ...(after.length > 0 ? ['other'] : [])].map((server) => ({ name: server })),
    taskservs: [
      { name, on: { server: 'main' }, ...(config === undefined ? {} : { config }) },
      ...after.map((other) => ({ name: other, on: { server: 'other' } })),
    ],
  };
}
