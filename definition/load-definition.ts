import { basename, isAbsolute, relative } from 'node:path';
import type { Definition, ServerSpec } from '../core/definition/definition.js';
import type { AnyProvider } from '../core/machine/provider.js';
import { NAME } from '../core/names.js';
import { type LoadableTaskservs, loadModules, type ProviderRegistry } from '../core/registry.js';
import { definitionFile } from '../core/schema/definition.js';
import type { AnyTaskserv } from '../core/taskserv/taskserv.js';
import { publishedVersions } from '../core/versions/published.js';
import { checkEndpoints } from './check-endpoints.js';
import { checkExclusive, checkFollowed } from './check-exclusive.js';
import { withContents } from './contents/with-contents.js';
import { type DefinitionSettings, NO_SETTINGS } from './defaults/definition-settings.js';
import { layUnder } from './defaults/lay-under.js';
import { serviceDefaultsFor } from './defaults/service-defaults.js';
import { withPublicWhereKnown } from './domains/following.js';
import { fromDomains } from './domains/from-domains.js';
import { checkZones } from './domains/zone-setters.js';
import { expandServers } from './expand-servers.js';
import { type DefinitionInput, type Interpolated, interpolated, says } from './interpolation/interpolate.js';
import { shared } from './interpolation/per-server.js';
import { type Composed, compose } from './layers/compose.js';
import { type Hashes, type LockUse, useLock } from './lock-file/lock-use.js';
import type { Locking } from './lock-file/locked-version.js';
import { lockPathOf, readLockFile } from './lock-file/read-lock-file.js';
import { namedIn } from './named-in.js';
import { placeOutputs } from './place-outputs.js';
import { assignments } from './place-taskservs.js';
import { protectServers } from './public-endpoints.js';
import { checkGiven, type Given, type ReferenceKinds } from './reference-kinds.js';
import { type Judgement, judge, type MonthlyCost } from './rules/judge.js';
import { checkCertificates } from './services/check-certificates.js';
import { fetching } from './services/fetching.js';
import { furnish } from './services/services.js';
import { checkTogether, orderOf } from './services/settle-services.js';
import { Findings } from './source/findings.js';
import { checkWhole, configuresTooMuch, namesTooMuch } from './source/oversize.js';
import { inFileOrder, type Path, type Problem } from './source/problem.js';
import { notAMap, problemsOf } from './source/read-source.js';
import { isRecord, salvage } from './source/salvage.js';
import { complaints } from './source/schema-issues.js';
import type { Source } from './source/source.js';
import { withTemplates } from './templates/use-templates.js';

export interface LoadOptions {
  workspace: string;
  registries: { taskservs: LoadableTaskservs; providers: ProviderRegistry };
  /** The secrets that are set. */
  secretNames: { has(name: string, infra: string): boolean };
  input?: DefinitionInput;
  /** What the servers of a definition cost a month; only asked where a rule of the workspace is about it. */
  cost?(definition: Definition): Promise<MonthlyCost>;
  /** Kinds of references whose values lie beside the definition. */
  referenceKinds?: ReferenceKinds;
  /** Folders of which no contents of files are taken: the state of a home. */
  closed?: readonly string[];
  /** Looks which commit is at each source of an application, and keeps what is there with the texts of the definition. */
  sources?(source: Source, root: string): Promise<Source | Problem[]>;
  /** Folders that programs of the system, which evaluate a language, may read besides the workspace. */
  folders?: readonly string[];
  /** How the lock file beside a definition is used. */
  lock?: LockOptions;
  /** What it says; `loadDefinition` reads it. */
  locking?: Locking;
}

export interface LockOptions {
  /** It has to have all that the definition asks for, and no more. */
  frozen?: boolean;
  /** A taskserv that is brought to another version: an entry of it that cannot be used is passed over. */
  renewed?: string;
}

/** What judges a definition: the modules that it names, by name. */
export interface Modules {
  taskservs: Readonly<Record<string, AnyTaskserv>>;
  providers: Readonly<Record<string, AnyProvider>>;
}

/** A definition, or all that keeps the file from being one. */
export type Loaded =
  | ({
      definition: Definition;
      source: Source;
      given: Given[];
      /** Where the source says, or would have to say, the version of a service, by `SERVER/TASKSERV`; not of what another needs. */
      versionsAt: ReadonlyMap<string, Path>;
      /** What the definition has of its lock file; absent where it can have none. */
      lock?: LockUse;
      problems: [];
    } & Partial<Omit<Judgement, 'problems'>>)
  | {
      definition?: undefined;
      source?: undefined;
      given?: undefined;
      versionsAt?: undefined;
      lock?: undefined;
      problems: Problem[];
    };

/**
 * Reads a definition file. Reports everything wrong with it at once, and prints nothing.
 *
 * @throws what a taskserv of the workspace throws that cannot be loaded or asked
 */
export async function loadDefinition(path: string, options: LoadOptions): Promise<Loaded> {
  const composed = await compose(path, options.input?.environment, options.folders);
  if (Array.isArray(composed)) return { problems: composed };
  const lockPath = lockPathOf(path, options.input?.environment);
  if (lockPath === undefined) {
    const loaded = withoutLock(path, await loadComposed(path, composed, options), options);
    const warnings = [...(composed.source.warnings ?? []), ...((loaded.definition && loaded.warnings) ?? [])];
    return loaded.definition && warnings.length > 0 ? { ...loaded, warnings } : loaded;
  }
  const file = await readLockFile(lockPath);
  if ('message' in file) return { problems: [file] };
  const locking: Locking = { file, infra: '', renewed: options.lock?.renewed, noted: [] };
  const loaded = await loadComposed(path, composed, { ...options, locking });
  if (!loaded.definition) return loaded;
  const findings = new Findings();
  const used = { ...locking, infra: loaded.definition.infra };
  const lock = await useLock(used, hashesIn(options), options.lock?.frozen === true, findings);
  const problems = [...problemsOf(loaded.source, findings), ...(Array.isArray(lock) ? lock : [])];
  return problems.length > 0 || Array.isArray(lock) ? { problems: inFileOrder(problems) } : { ...loaded, lock };
}

/** Of a program nothing is kept: where the lock file is to have all of it, a constraint is a problem. */
function withoutLock(file: string, loaded: Loaded, { lock }: Pick<LoadOptions, 'lock'>): Loaded {
  const open = loaded.definition?.servers.flatMap(({ taskservs }) => taskservs).find(({ constraint }) => constraint !== undefined);
  if (!lock?.frozen || !open) return loaded;
  const message = `a program has no lock file, and "${open.name}" asks for "${open.constraint}"`;
  return { problems: [{ file, line: 1, column: 1, path: '', message, suggestion: `write the version: "${open.version}"` }] };
}

/** Asks the `versions.json` of taskservs. */
function hashesIn({ registries }: LoadOptions) {
  return async (taskserv: string, version: string): Promise<Hashes | undefined> => {
    const one = (await publishedVersions(registries.taskservs, taskserv))?.versions[version];
    if (!one?.amd64 && !one?.arm64) return undefined;
    return { ...(one.amd64 && { amd64: one.amd64.sha256 }), ...(one.arm64 && { arm64: one.arm64.sha256 }) };
  };
}

/** The same of a source that is put together already. @param path how it was named */
export async function loadComposed(path: string, composed: Composed, options: LoadOptions): Promise<Loaded> {
  const { workspace, input = {} } = options;
  const hasExpressions = isRecord(composed.source.value) && says(composed.source.value);
  const furnished = await withContents(composed, { hasExpressions, closed: options.closed ?? [] });
  if (Array.isArray(furnished)) return { problems: inFileOrder(furnished) };
  const own = await interpolated(furnished, workspace, input);
  if (Array.isArray(own)) return { problems: inFileOrder(own) };
  const { isWorkspace } = composed;
  // Files of the workspace are told of as the definition was named.
  const root = isAbsolute(path) ? composed.root : relative('', composed.root);
  const read = await withTemplates(own, { root, isWorkspace, workspace, input });
  if (Array.isArray(read)) return { problems: inFileOrder(read) };
  const whole = isRecord(read.source.value) ? { ...read.source, value: { ...read.source.value, ...input.over } } : read.source;
  const source = (await options.sources?.(whole, composed.root)) ?? whole;
  if (Array.isArray(source)) return { problems: inFileOrder(source) };
  const settings = await input.settings?.(infraIn(source.value));
  const named = namedIn(isRecord(source.value) && settings ? layUnder(source.value, settings).value : source.value);
  const [taskservs, providers] = await Promise.all([
    loadModules(options.registries.taskservs, named.taskservs),
    loadModules(options.registries.providers, named.providers),
  ]);
  const given: Given[] = [];
  const { loaded, places } = understood(source, options, { taskservs, providers }, { ...read, settings, given });
  const findings = new Findings();
  await checkGiven(given, options.referenceKinds ?? {}, composed.root, findings);
  if (findings.all.length > 0) return { problems: inFileOrder([...loaded.problems, ...problemsOf(source, findings)]) };
  // What is in the folder of a definition without a workspace may be about anything.
  if (!loaded.definition || !isWorkspace) return loaded;
  const judging = { root, environment: input.environment, taskservs, places, ...(options.cost ? { cost: options.cost } : {}) };
  const { problems, warnings, excepted } = await judge(loaded.definition, source, judging);
  return problems.length > 0 ? { problems } : { ...loaded, warnings, excepted };
}

const infraIn = (value: unknown): string | undefined =>
  isRecord(value) && typeof value.infra === 'string' && NAME.test(value.infra) ? value.infra : undefined;

/** What expressions came to, besides what stands in the source, and what it is laid over. */
type Worked = Omit<Interpolated, 'source'> & {
  settings?: DefinitionSettings;
  /** Where references to values beside the definition are noted. */
  given?: Given[];
};

/** The definition that a source says. */
export const understand = (source: Source, options: LoadOptions, modules: Modules, worked?: Worked): Loaded =>
  understood(source, options, modules, worked).loaded;

/** The same, with where its servers and services stand in the source. */
function understood(
  source: Source,
  options: LoadOptions,
  modules: Modules,
  worked: Worked = { perServer: shared },
): { loaded: Loaded; places: Map<string, Path> } {
  const places = new Map<string, Path>();
  const versionsAt = new Map<string, Path>();
  return { loaded: judged(source, options, { given: [], ...modules, ...worked, places, versionsAt }), places };
}

type Making = Modules & Worked & { places: Map<string, Path>; versionsAt: Map<string, Path>; given: Given[] };

function judged(source: Source, options: LoadOptions, making: Making): Loaded {
  if (!isRecord(source.value)) return { problems: notAMap(source, 'a definition') };
  const findings = new Findings();
  if (source.value.infra === undefined && source.value.operations !== undefined) {
    findings.value([], 'this is a batch, it defines no infra', `provisioning batch submit ${basename(source.file)}`);
    return { problems: problemsOf(source, findings) };
  }
  if (namesTooMuch(source.value, findings)) return { problems: problemsOf(source, findings) };
  const { value, from } = layUnder(source.value, making.settings ?? NO_SETTINGS);
  findings.all.push(...complaints(definitionFile, value));
  const definition = assemble(value, options, making, findings);
  for (const finding of findings.all) {
    const setting = from(finding.path);
    if (setting !== undefined) finding.message += ` (${setting})`;
  }
  if (definition && findings.all.length === 0) checkWhole(definition, findings);
  const problems = problemsOf(source, findings);
  const { given, versionsAt } = making;
  return problems.length > 0 || !definition ? { problems } : { definition, source, given, versionsAt, problems: [] };
}

/** Undefined where it would be more than fits; then that is among the findings. */
function assemble(
  value: Record<string, unknown>,
  { workspace, registries, secretNames, referenceKinds, locking }: LoadOptions,
  {
    taskservs,
    providers,
    perServer,
    outputs: parts = new Map(),
    resolved = {},
    places,
    settings = NO_SETTINGS,
    given,
    versionsAt,
  }: Making,
  findings: Findings,
): Definition | undefined {
  const file = salvage(value);
  const servers = expandServers(file, { providers, known: Object.keys(registries.providers) }, findings);
  // With the instances that the file names.
  const known = [...new Set([...Object.keys(registries.taskservs), ...Object.keys(taskservs)])];
  const around = { workspace, taskservs, known, providers: registries.providers, secretNames, referenceKinds, given };
  const entries = assignments(file, servers, around, findings);
  if (configuresTooMuch(entries, servers, findings)) return undefined;
  const owner = { workspace, infra: file.settings.infra, scope: '' };
  const defaultsOf = serviceDefaultsFor(settings, { ...around, ...owner }, findings);
  checkZones(file.zones, { providers, known: Object.keys(registries.providers) }, findings);
  const all = fromDomains(entries, { ...around, ...owner, servers, zones: file.zones, defaultsOf }, findings);
  const judged = withPublicWhereKnown(all, findings);
  const kept = locking && { ...locking, infra: file.settings.infra };
  const settled = furnish(servers, judged, { taskservs, known, perServer, defaultsOf, locking: kept }, findings);
  const placed = settled.flatMap((one) => one.placed);
  checkEndpoints(all, placed, known, findings);
  checkFollowed(placed, known, findings);
  const order = orderOf(placed, findings);
  const withFetching = fetching(file);
  const specs = settled.map(({ server, placed }): ServerSpec => {
    checkTogether(server, placed, findings);
    checkExclusive(server.spec.name, placed, findings);
    checkCertificates(server, placed, findings);
    places.set(server.spec.name, server.path);
    for (const { spec, path, versionAt } of placed) {
      places.set(`${server.spec.name}/${spec.name}`, path);
      if (versionAt) versionsAt.set(`${server.spec.name}/${spec.name}`, versionAt);
    }
    const byOrder = placed.map((one) => withFetching(one, server)).sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
    return { ...server.spec, taskservs: byOrder };
  });
  protectServers(specs, providers);
  const { infra, onFailure, onTimeout, protect, approve } = file.settings;
  const gates = approve === undefined ? {} : { approve: [approve].flat() };
  const outputs = placeOutputs(value.outputs, specs, { ...around, infra, parts }, findings);
  const more = { ...(outputs && { outputs }), ...(Object.keys(resolved).length > 0 && { resolved }) };
  return { workspace, infra, onFailure, ...(onTimeout && { onTimeout }), protect, ...gates, ...more, servers: specs };
}
