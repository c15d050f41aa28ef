import * as z from 'zod';
import { REFERS_TO } from '../core/schema/fields.js';
import { type Assignment, configPath } from './place-taskservs.js';
import type { Placed } from './services/settle-services.js';
import { didYouMean } from './source/did-you-mean.js';
import type { Findings } from './source/findings.js';
import type { Path } from './source/problem.js';
import { isRecord } from './source/salvage.js';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** The endpoint that a place in a configuration names, as far as the file says it. */
interface Named {
  path: Path;
  taskserv?: unknown;
  offering?: unknown;
}

/**
 * Checks the endpoints that configurations name, where a field says that it names one (`endpoint` of the SDK).
 *
 * @param known the names of all taskservs that there are
 */
export function checkEndpoints(
  entries: readonly Assignment[],
  placed: readonly Placed[],
  known: readonly string[],
  findings: Findings,
): void {
  const offered = offeredBy(placed);
  const there = [...offered.keys()];
  for (const entry of entries) {
    const { taskserv, config } = entry;
    for (const named of namedIn(taskserv.config, config)) {
      const at = (key: string): Path => configPath(entry, [...named.path, key]);
      const { taskserv: name, offering } = named;
      if (typeof name === 'string' && !offered.has(name)) {
        if (!known.includes(name)) findings.value(at('taskserv'), `unknown taskserv "${name}"`, didYouMean(name, known));
        else findings.value(at('taskserv'), `no server has the taskserv "${name}"`, didYouMean(name, there));
        continue;
      }
      const of = name ?? presetAt(placed, taskserv.name, [...named.path, 'taskserv']);
      const names = offered.get(String(of)) ?? new Set<string>();
      if (typeof offering !== 'string' || names.size === 0 || names.has(offering)) continue;
      findings.value(at('offering'), `"${of}" has no endpoint "${offering}"`, didYouMean(offering, names));
    }
  }
}

/** The names of the endpoints that each taskserv of the definition has, on whichever server. */
function offeredBy(placed: readonly Placed[]): Map<string, Set<string>> {
  const offered = new Map<string, Set<string>>();
  for (const { spec } of placed) {
    const names = offered.get(spec.name) ?? new Set();
    for (const { name } of spec.endpoints) names.add(name);
    offered.set(spec.name, names);
  }
  return offered;
}

/** What the parsed configuration of a taskserv has at a path: where a file says nothing, its default. */
function presetAt(placed: readonly Placed[], name: string, path: Path): unknown {
  const config = placed.find(({ spec }) => spec.name === name)?.spec.config;
  return path.reduce<unknown>((inside, key) => (inside as Record<string | number, unknown> | undefined)?.[key], config);
}

/** A file may configure a taskserv for each of thousands of servers. */
const jsonSchemas = new WeakMap<z.ZodType, JsonSchema>();

function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const known = jsonSchemas.get(schema);
  if (known) return known;
  const made = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as JsonSchema;
  jsonSchemas.set(schema, made);
  return made;
}

/** The endpoints that a configuration names, as it is written. */
function namedIn(schema: z.ZodType, config: Record<string, unknown>): Named[] {
  // Most taskservs are configured by nothing, or name no endpoint.
  if (Object.keys(config).length === 0) return [];
  const root = jsonSchemaOf(schema);
  const walk = (here: JsonSchema, value: unknown, path: Path): Named[] => {
    if (here[REFERS_TO] === 'endpoint') return isRecord(value) ? [{ ...value, path }] : [];
    const below = (next: unknown, inner: unknown, key: string | number) =>
      isRecord(next) ? walk(next as JsonSchema, inner, [...path, key]) : [];
    const unions = [...(here.anyOf ?? []), ...(here.oneOf ?? []), ...(here.allOf ?? [])];
    const inUnions = unions.flatMap((one) => walk(one as JsonSchema, value, path));
    if (Array.isArray(value)) return [...inUnions, ...value.flatMap((item, index) => below(here.items, item, index))];
    if (!isRecord(value)) return inUnions;
    const inside = Object.entries(value).flatMap(([key, inner]) =>
      below(here.properties?.[key] ?? here.additionalProperties, inner, key),
    );
    return [...inUnions, ...inside];
  };
  return walk(root, config, []);
}
