import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';

/** A definition, as a file says it. */
export interface ExampleDefinition {
  infra: string;
  provider: string;
  servers: { name: string; image?: string }[];
  taskservs: { name: string; on: { server: string }; config?: unknown }[];
}

/** A release of Debian that has it, if the oldest one does not: its servers would have that one. */
function chooseImage({ versions: { releases = {} } }: AnyTaskserv): string | undefined {
  const [first, ...others] = Object.entries(releases).sort(([one], [other]) => (one < other ? -1 : 1));
  return first?.[1] === null ? others.find(([, version]) => version !== null)?.[0] : undefined;
}

/**
 * Creates a definition with a taskserv. Its configuration is the first of `examples` in its schema. The first taskserv
 * of `after` is on another server, unless it requires a configuration.
 *
 * @param schema JSON Schema of its configuration
 * @param together taskservs of `after` that exist
 */
export function createExample(
  taskserv: AnyTaskserv,
  schema: { examples?: unknown },
  together: readonly AnyTaskserv[] = [],
): ExampleDefinition {
  const { name } = taskserv;
  const image = chooseImage(taskserv);
  const others = together
    .filter(({ config }) => config.safeParse({}).success)
    .slice(0, 1)
    .map(({ name }) => name);
  const [config] = Array.isArray(schema.examples) ? schema.examples : [];
  return {
    infra: 'example',
    provider: 'local',
    servers: ['main', ...others.map(() => 'other')].map((server) => ({ name: server, ...(image !== undefined && { image }) })),
    taskservs: [
      { name, on: { server: 'main' }, ...(config === undefined ? {} : { config }) },
      ...others.map((other) => ({ name: other, on: { server: 'other' } })),
    ],
  };
}
