import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';

/** A definition, as a file says it. */
export interface ExampleDefinition {
  infra: string;
  provider: string;
  servers: { name: string }[];
  taskservs: { name: string; on: { server: string }; config?: unknown }[];
}

/**
 * Creates a definition with a taskserv. Its configuration is the first of `examples` in its schema. The first taskserv
 * of `after` is on another server, unless it requires a configuration.
 *
 * @param schema JSON Schema of its configuration
 * @param together taskservs of `after` that exist
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
