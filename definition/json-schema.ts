import * as z from 'zod';
import { batchFile } from '../core/schema/batch.js';
import { definitionFile } from '../core/schema/definition.js';
import type { AnyTaskserv } from '../core/taskserv/taskserv.js';

type JsonSchema = Record<string, unknown>;

const OPTIONS = { io: 'input', unrepresentable: 'any' } as const;

/** The JSON Schema of a taskserv's configuration. */
export const taskservSchema = ({ config, name, description }: AnyTaskserv): JsonSchema => ({
  ...z.toJSONSchema(config, OPTIONS),
  // Left out by zod where a value is another once it is parsed: ours say what a file does.
  ...examplesOf(config),
  title: name,
  description,
});

function examplesOf(config: z.ZodType): { examples?: unknown } {
  const examples = config.meta?.()?.examples;
  return examples === undefined ? {} : { examples };
}

/** The JSON Schema of a definition file, the configuration of each taskserv included. */
export function definitionSchema(taskservs: Readonly<Record<string, AnyTaskserv>>): JsonSchema {
  const schema = z.toJSONSchema(definitionFile, {
    ...OPTIONS,
    override: ({ jsonSchema, zodSchema }) => {
      const properties = (jsonSchema as { properties?: Record<string, JsonSchema> }).properties;
      if (zodSchema._zod.def.type !== 'object' || !properties) return;
      for (const [part, { taskservs: names }] of Object.entries(PARTS))
        if (isZone(properties) && names.some((name) => taskservs[name]))
          Object.assign(properties[part] as JsonSchema, { $ref: `#/$defs/zone-${part}` });
      if (!properties.name || !properties.config) return;
      const names = { enum: Object.keys(taskservs) };
      const patterns = severalOf(taskservs).map(({ name }) => ({ pattern: instancesOf(name) }));
      properties.name = { ...properties.name, ...(patterns.length > 0 ? { anyOf: [names, ...patterns] } : names) };
      const ofInstances = severalOf(taskservs).map(({ name }) => configOf({ pattern: instancesOf(name) }, instanceOf(name)));
      Object.assign(jsonSchema, {
        allOf: [...Object.keys(taskservs).map((name) => configOf({ const: name }, name)), ...ofInstances],
      });
    },
  });
  const configs = Object.fromEntries(
    [...Object.values(taskservs), ...severalOf(taskservs).flatMap((one) => one.instance?.(INSTANCE) ?? [])].map((taskserv) => {
      const { $schema: _, ...config } = taskservSchema(taskserv);
      return [`config-${taskserv.name}`, config];
    }),
  );
  return { ...schema, title: 'Definition of an infra', $defs: { ...schema.$defs, ...configs, ...zoneSchemas(taskservs) } };
}

/** Stands for the name of any instance. */
const INSTANCE = 'name';
const instanceOf = (taskserv: string): string => `${taskserv}@${INSTANCE}`;
const instancesOf = (taskserv: string): string => `^${taskserv}@[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?$`;

/** Those that a server may have several of. */
const severalOf = (taskservs: Readonly<Record<string, AnyTaskserv>>) => Object.values(taskservs).filter(({ instance }) => instance);

/** Taskservs that the parts of a zone configure, the fields that follow from domains, and the optional fields. */
const PARTS: Readonly<Record<string, { taskservs: readonly string[]; own: readonly string[]; optional?: string }>> = {
  dns: { taskservs: ['dns-records', 'cloud-dns'], own: ['zone', 'records'], optional: 'owner' },
  acme: { taskservs: ['acme'], own: ['certificates'] },
};

const isZone = (properties: Record<string, JsonSchema>): boolean =>
  Object.keys(properties).length === 2 && Object.keys(PARTS).every((part) => properties[part]);

function zoneSchemas(taskservs: Readonly<Record<string, AnyTaskserv>>): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(PARTS).flatMap(([part, { taskservs: names, own, optional }]) => {
      const schemas = names.flatMap((name) => taskservs[name] ?? []).map((taskserv) => saidOf(taskserv, own, optional));
      const [only, ...more] = schemas;
      return only ? [[`zone-${part}`, more.length > 0 ? { anyOf: schemas } : only]] : [];
    }),
  );
}

/** The configuration of a taskserv without what follows from domains. */
function saidOf(taskserv: AnyTaskserv, own: readonly string[], optional?: string): JsonSchema {
  const { $schema: _, examples: __, ...schema } = taskservSchema(taskserv);
  const { properties = {}, required = [] } = schema as { properties?: JsonSchema; required?: string[] };
  const said = Object.entries(properties).filter(([key]) => !own.includes(key));
  const needed = required.filter((key) => key !== optional && !own.includes(key));
  return { ...schema, properties: Object.fromEntries(said), required: needed };
}

/** The JSON Schema of a batch file. */
export const batchSchema = (): JsonSchema => ({ ...z.toJSONSchema(batchFile, OPTIONS), title: 'Batch of operations' });

/** Schema of `config` if `name` is this taskserv or an instance of it. */
const configOf = (name: JsonSchema, config: string): JsonSchema => ({
  if: { properties: { name } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { config: { $ref: `#/$defs/config-${config}` } } },
});
