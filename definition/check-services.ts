import * as z from 'zod';
import { newHomePath } from '../core/host/facts.js';
import { REFERS_TO } from '../core/schema/fields.js';
import type { ExpandedServer } from './expanded-server.js';
import { type Assignment, configPath } from './place-taskservs.js';
import type { PlacedService } from './services/settle-services.js';
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
  placed: readonly PlacedService[],
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
function offeredBy(placed: readonly PlacedService[]): Map<string, Set<string>> {
  const offered = new Map<string, Set<string>>();
  for (const { spec } of placed) {
    const names = offered.get(spec.name) ?? new Set();
    for (const { name } of spec.endpoints) names.add(name);
    offered.set(spec.name, names);
  }
  return offered;
}

/** Returns the value at a path of a taskserv's parsed configuration: the declared value or the default. */
function presetAt(placed: readonly PlacedService[], name: string, path: Path): unknown {
  const config = placed.find(({ spec }) => spec.name === name)?.spec.config;
  return path.reduce<unknown>((inside, key) => (inside as Record<string | number, unknown> | undefined)?.[key], config);
}

/** Cached, because a file may configure a taskserv for each of thousands of servers. */
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

/** Reports files and packages that two taskservs of a server want, if one of the taskservs claims them exclusively. */
export function checkExclusive(server: string, placed: readonly PlacedService[], findings: Findings): void {
  const all = placed.filter(({ spec }) => spec.config !== undefined);
  const told = new Set<string>();
  for (const { taskserv, spec, path } of all) {
    const { files = [], withoutPackages = [] } = taskserv.exclusive?.(spec.config) ?? {};
    if (files.length === 0 && withoutPackages.length === 0) continue;
    const others = all.filter((other) => other.taskserv !== taskserv);
    const byFile = holders(others, 'file');
    const byPackage = holders(others, 'package');
    for (const one of files) {
      const holder = byFile.get(one.path);
      if (holder === undefined) continue;
      // Both may claim it, and one place may declare several files.
      const place = JSON.stringify([...path, one.at, holder]);
      if (told.has(place) || told.has(`${holder} ${taskserv.name}`)) continue;
      told.add(place).add(`${taskserv.name} ${holder}`);
      const message = `${one.path} is a file of the taskserv "${holder}", which "${server}" has as well`;
      findings.value([...path, 'config', ...one.at], message, one.suggestion ?? `set it in the configuration of ${holder}`);
    }
    for (const one of withoutPackages) {
      const holder = byPackage.get(one.name);
      if (holder === undefined) continue;
      const message = `the package ${one.name} is listed as absent, but the taskserv "${holder}" of "${server}" needs it`;
      findings.value([...path, 'config', ...one.at], message, `remove one of them from the definition`);
    }
  }
}

/** Which taskserv asks about each file or package, by its path or name. */
function holders(placed: readonly PlacedService[], kind: 'file' | 'package'): Map<string, string> {
  const found = new Map<string, string>();
  for (const { taskserv, spec } of placed) {
    for (const fact of Object.values(taskserv.facts(spec.config, spec.version)) as {
      kind: string;
      path?: string;
      name?: string;
    }[]) {
      if (fact.kind === kind) found.set(newHomePath(fact.path ?? fact.name ?? ''), taskserv.name);
    }
  }
  return found;
}

/** Names of taskservs that a configuration says it comes after, and that there are not. */
export function checkFollowed(placed: readonly PlacedService[], known: readonly string[], findings: Findings): void {
  const told = new Set<string>();
  for (const { taskserv, spec, path } of placed) {
    for (const name of (spec.config !== undefined && taskserv.follows?.(spec.config)) || []) {
      const key = JSON.stringify([path, name]);
      if (known.includes(name) || told.has(key)) continue;
      told.add(key);
      const message = `unknown taskserv "${name}"`;
      // An endpoint of the same configuration may name it, and is reported then.
      if (findings.all.some((finding) => finding.message === message)) continue;
      findings.value([...path, 'config', 'after'], message, didYouMean(name, known));
    }
  }
}

/** Reports services with a certificate of acme (`tls.acme`) on a server without an acme that gets it. */
export function checkCertificates(server: ExpandedServer, placed: readonly PlacedService[], findings: Findings): void {
  const acme = placed.find(({ spec }) => spec.name === 'acme');
  const there = namesIn(acme?.spec.config);
  for (const { spec, path } of placed) {
    for (const name of wantedBy(spec.config)) {
      if (!acme) {
        const why = `"${spec.name}" uses the certificate "${name}" of acme, but the server "${server.spec.name}" has no acme`;
        findings.value(path, why, 'add the taskserv acme to that server, or give certificate and key');
        break;
      }
      if (acme.spec.config === undefined || there.includes(name)) continue;
      findings.value(path, `"${spec.name}" has the certificate "${name}", which acme does not issue`, didYouMean(name, there));
    }
  }
}

function namesIn(config: unknown): string[] {
  const certificates = isRecord(config) && Array.isArray(config.certificates) ? config.certificates : [];
  return certificates.flatMap((one) => (isRecord(one) && typeof one.name === 'string' ? [one.name] : []));
}

/** Certificates of acme that a configuration names, in its `tls` and in its sites. */
function wantedBy(config: unknown): string[] {
  if (!isRecord(config) || !isRecord(config.tls)) return [];
  const sites = Array.isArray(config.sites) ? config.sites : [];
  const all = [config.tls.acme, ...sites.map((site) => (isRecord(site) ? site.acme : undefined))].flat();
  return [...new Set(all.filter((name) => typeof name === 'string'))];
}
