import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';

/** A definition, as a file says it. */
export interface ExampleDefinition {
  infra: string;
  provider: string;
  servers: { name: string }[];
  taskservs: { name: string; on: { server: string }; config?: unknown }[];
}

/**
 * A definition with a taskserv in it: its configuration is the first of `examples` in its schema, and the first of
 * those that it works together with (`after`) is on another server, unless it asks for a configuration.
 *
 * @param schema JSON Schema of its configuration
 * @param together those of `after` that there are
 */
export function createExample(
  { name }: AnyTaskserv,
  schema: { examples?: unknown },
  together: readonly AnyTaskserv[] = [],
): ExampleDefinition {
  const others = together
    .filter(({ config }) => config.safeParse({}).success)
    .slice(0, 1)
    .map(({ name }) => name);
  const [config] = Array.isArray(schema.examples) ? schema.examples : [];
  return {
    infra: 'example',
    provider: 'local',
    servers: ['main', ...others.map(() => 'other')].map((server) => ({ name: server })),
    taskservs: [
      { name, on: { server: 'main' }, ...(config === undefined ? {} : { config }) },
      ...others.map((other) => ({ name: other, on: { server: 'other' } })),
    ],
  };
}
