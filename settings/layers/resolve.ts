import { join } from 'node:path';
import { createLayer, type MergeRules, merge, REPLACE } from '../../core/merge/merge.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import { type ConfigProblem, refuseProblems } from '../config-error.js';
import { REGISTRY } from '../registry/keys.js';
import { isServiceField, type Key, type Registry } from '../registry/registry.js';
import { misfit } from '../registry/value-types.js';
import { type ConfigPlace, filesOf, type LayerName, listEnvironments, readMark } from './layers.js';
import { type LoadedLayer, loadLayer, setAt } from './read-file.js';
import type { Tree, Value } from './values.js';
import { markOfEnvironment, readVariable } from './variables.js';

/** Value of a key in one layer, with its place. */
export interface Statement {
  layer: LayerName;
  /** Absent if it only removes the values of lower layers. */
  value?: Value;
  file?: string;
  line?: number;
  variable?: string;
}

/** Key with its values in the layers, the lowest first. */
export interface SettledKey {
  key: Key;
  value?: Value;
  statements: Statement[];
  /** Statement that decides; the highest one if several layers contribute to a map. */
  winner?: Statement;
}

/** Resolved configuration: the value of each key, and the problems of all layers. */
export interface Resolution {
  settled: ReadonlyMap<string, SettledKey>;
  layers: readonly LoadedLayer[];
  problems: ConfigProblem[];
}

/** Maps are merged, and lists are replaced. */
const rulesOf = ({ keys }: Registry): MergeRules => ({
  mergeKey: () => undefined,
  whole(path) {
    const type = keys.get(path.join('.'))?.type;
    return type?.kind === 'field' && type.whole === true;
  },
});

/** Values from options of a command, by key. */
export type Flags = Readonly<Record<string, Value | undefined>>;

export interface ResolveOptions {
  flags?: Flags;
  registry?: Registry;
}

/**
 * Returns the value of each key, from all layers. Invalid values are omitted and listed as problems.
 *
 * @throws inputError `config-environment`, `config-infra`, for an invalid name
 */
export async function lookAtConfig(place: ConfigPlace, options?: ResolveOptions): Promise<Resolution> {
  const resolution = await combinedFrom(place, options);
  // These problems belong to the caller, not to the files: other callers share the cached resolution.
  const missing = missingEnvironment(place, resolution.layers);
  return missing.length === 0 ? resolution : { ...resolution, problems: [...resolution.problems, ...missing] };
}

/** Combines all layers, or returns the cached result for the same files and variables. */
async function combinedFrom(place: ConfigPlace, { flags = {}, registry = REGISTRY }: ResolveOptions = {}): Promise<Resolution> {
  const files = filesOf(place);
  const key = markOfAll(place, files, flags, registry);
  const known = cacheOf(registry).get(key);
  if (known) return known;
  const loaded = await Promise.all(files.map((one) => loadLayer(one, registry)));
  const layers = loaded.filter((layer) => layer !== undefined);
  const resolution = combine(layers, { env: place.env, flags, registry });
  // A file that was written just now could change again within the same tick of the clock. A key for an encrypted file
  // may appear at any time.
  if (resolution.problems.length === 0 && markOfAll(place, files, flags, registry) === key && isOld(files))
    keep(registry, key, resolution);
  return resolution;
}

/**
 * Returns the value of each key, and fails if any layer has a problem.
 *
 * @throws ConfigError `bad-settings`, `config-scope` with all problems of all layers
 */
export async function resolveConfig(place: ConfigPlace, options?: ResolveOptions): Promise<Resolution> {
  const resolution = await lookAtConfig(place, options);
  refuseProblems(resolution.problems);
  return resolution;
}

/**
 * Returns a problem if the named environment does not exist: a typing error must not select the settings of no
 * environment.
 */
function missingEnvironment(
  { environment, workspaceFolder: folder }: ConfigPlace,
  layers: readonly LoadedLayer[],
): ConfigProblem[] {
  if (environment === undefined || layers.some(({ layer }) => layer === 'environment')) return [];
  const about = { line: 0, column: 0, path: '' };
  if (folder === undefined) {
    const suggestion = 'change to the folder of a workspace (with a provisioning.yaml)';
    return [
      { ...about, file: environment, message: 'an environment was chosen, but this folder is not in a workspace', suggestion },
    ];
  }
  const known = listEnvironments(folder);
  // An environment with only overlays of definitions has no settings.
  if (known.includes(environment)) return [];
  const suggestion = didYouMean(environment, known) ?? `write ${join(folder, 'environments', `${environment}.yaml`)}`;
  return [{ ...about, file: join(folder, 'environments'), message: `there is no environment "${environment}"`, suggestion }];
}

function combine(
  layers: readonly LoadedLayer[],
  { env, flags, registry }: { env: NodeJS.ProcessEnv; flags: Flags; registry: Registry },
): Resolution {
  const problems = layers.flatMap((layer) => layer.problems);
  const settled = new Map<string, SettledKey>();
  const top: Tree = {};
  const typed: Tree = {};
  for (const key of registry.keys.values()) {
    const path = key.name.split('.');
    const statements: Statement[] = key.default === undefined ? [] : [{ layer: 'defaults', value: key.default }];
    let isHidden = false;
    for (const { layer, file, tree, place, sealed } of layers) {
      const said = lookUp(tree, path);
      if (said && sealed?.(said.at)) {
        isHidden = true;
        if (reachesDefinitions(key)) problems.push({ ...place(said.at), path: key.name, ...RECORDED });
      }
      if (said) statements.push({ layer, file, line: place(said.at).line, ...('value' in said ? { value: said.value } : {}) });
    }
    const variable = readVariable(key, env);
    if (variable && 'problem' in variable) problems.push(variable.problem);
    else if (variable) {
      statements.push({ layer: 'variables', ...variable });
      setAt(top, path, variable.value);
    }
    const flag = flags[key.name];
    if (flag !== undefined) {
      if (misfit(key.type, flag) !== undefined) throw new Error(`an option sets ${key.name} to an invalid value`);
      statements.push({ layer: 'flags', value: flag });
      setAt(typed, path, flag);
    }
    // Encrypted values are shown and recorded as little as credentials.
    settled.set(key.name, { key: isHidden ? { ...key, sensitive: true } : key, statements, winner: winnerOf(statements) });
  }
  // Layers have no conflicts, because invalid values were omitted when they were read.
  const rules = rulesOf(registry);
  const { value: merged } = [...layers.map(({ tree }) => tree), top, typed].reduce(
    (below, above) => merge(below, createLayer(above, 0), rules).merged,
    createLayer({}, 0),
  );
  for (const one of settled.values()) {
    const value = at(merged as Tree, one.key.name.split('.')) ?? one.key.default;
    if (value !== undefined) one.value = value;
  }
  return { settled, layers, problems };
}

const reachesDefinitions = (key: Key): boolean => isServiceField(key) || key.name.startsWith('servers.');
const RECORDED = {
  message: 'it is encrypted, and becomes part of definitions, which are recorded as they are',
  suggestion: 'decrypt it; write a secret in the definition, as { sops: FILE, key: PATH }',
};

/** Returns the highest layer with a value; if it removes the value, the default. */
function winnerOf(statements: readonly Statement[]): Statement | undefined {
  const last = statements.at(-1);
  return last && 'value' in last ? last : statements.find(({ layer }) => layer === 'defaults');
}

function at(tree: Tree, path: readonly string[]): Value | undefined {
  let here: Value | undefined = tree;
  for (const name of path)
    here = typeof here === 'object' && here !== null && !Array.isArray(here) && Object.hasOwn(here, name) ? here[name] : undefined;
  return here;
}

/** Returns what a layer says about a key: a value, or the removal of lower values; with the path of this statement. */
function lookUp(tree: Tree, path: readonly string[]): { value?: Value; at: readonly string[] } | undefined {
  let here: Value = tree;
  let cut: readonly string[] | undefined;
  const written: string[] = [];
  for (const name of path) {
    if (!isMap(here) || !Object.hasOwn(here, name)) return cut && { at: cut };
    here = here[name] as Value;
    written.push(name);
    if (here === null) return { at: [...written] };
    if (isMap(here) && Object.hasOwn(here, REPLACE)) {
      cut = [...written];
      here = here[REPLACE] as Value;
      written.push(REPLACE);
      if (here === null) return { at: cut };
    }
  }
  return { value: here, at: cut?.length === path.length ? cut : written };
}

const isMap = (value: Value): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Enough for a worker and a command side by side. */
const KEPT = 16;
const caches = new WeakMap<Registry, Map<string, Resolution>>();

function cacheOf(registry: Registry): Map<string, Resolution> {
  const known = caches.get(registry) ?? new Map<string, Resolution>();
  caches.set(registry, known);
  return known;
}

function keep(registry: Registry, key: string, resolution: Resolution): void {
  const cache = cacheOf(registry);
  const [oldest] = cache.keys();
  if (cache.size >= KEPT && oldest !== undefined) cache.delete(oldest);
  cache.set(key, resolution);
}

type Files = ReturnType<typeof filesOf>;
const pathsOf = (files: Files) => files.flatMap(({ candidates, former }) => (former ? [...candidates, former] : candidates));

function markOfAll({ env }: ConfigPlace, files: Files, flags: Flags, registry: Registry): string {
  const marks = pathsOf(files).map((path) => `${path} ${readMark(path)?.mark ?? '-'}`);
  return [...marks, JSON.stringify(flags), markOfEnvironment(registry, env)].join('\n');
}

/** The clocks of file systems advance in steps of a few milliseconds. */
const STEP_MS = 50;
const isOld = (files: Files): boolean => pathsOf(files).every((path) => (readMark(path)?.changedMs ?? 0) < Date.now() - STEP_MS);
