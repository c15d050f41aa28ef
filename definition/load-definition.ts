import { basename, isAbsolute, relative } from 'node:path';
import type { Definition } from '../core/definition/definition.js';
import { NAME } from '../core/names.js';
import { loadModules } from '../core/registry.js';
import { definitionFile } from '../core/schema/definition.js';
import { loadPublishedVersions } from '../core/versions/published.js';
import { type AssembleOptions, type AssemblyParts, assemble, type ExpressionResults, type Modules } from './assemble.js';
import { insertContents } from './contents/with-contents.js';
import { type DefinitionSettings, NO_SETTINGS } from './defaults/definition-settings.js';
import { layUnder } from './defaults/lay-under.js';
import {
  type DefinitionInput,
  type InterpolatedSource,
  interpolateDefinition,
  isInterpolated,
} from './interpolation/interpolate.js';
import { shareConfig } from './interpolation/per-server.js';
import { type ComposedDefinition, compose } from './layers/compose.js';
import { type Hashes, type LockUse, useLock } from './lock-file/lock-use.js';
import type { LockSession } from './lock-file/locked-version.js';
import { lockPathOf, readLockFile } from './lock-file/read-lock-file.js';
import { findNamed } from './named-in.js';
import { checkGiven, type ExternalValue } from './reference-kinds.js';
import { type Judgement, judge, type MonthlyCost } from './rules/judge.js';
import { Findings } from './source/findings.js';
import { checkWhole, namesTooMuch } from './source/oversize.js';
import { type Path, type Problem, sortProblems } from './source/problem.js';
import { problemsOf, reportNotAMap } from './source/read-source.js';
import { isRecord } from './source/salvage.js';
import { complaints } from './source/schema-issues.js';
import type { Source } from './source/source.js';
import { applyTemplates } from './templates/use-templates.js';

export interface LoadOptions extends AssembleOptions {
  input?: DefinitionInput;
  /** Monthly cost of the definition's servers. It is queried only if a rule of the workspace needs it. */
  cost?(definition: Definition): Promise<MonthlyCost>;
  /** Folders from which no contents are read: the state of a home. */
  closed?: readonly string[];
  /** Looks which commit is at each source of an application, and keeps what is there with the texts of the definition. */
  sources?(source: Source, root: string): Promise<Source | Problem[]>;
  /** Folders beside the workspace that programs of the system may read to evaluate a language. */
  folders?: readonly string[];
  /** Text to read instead of the definition file's, as a change would write it. The file need not exist. */
  text?: string;
  /** How the lock file beside a definition is used. */
  lock?: LockOptions;
}

export interface LockOptions {
  /** It has to have all that the definition asks for, and no more. */
  frozen?: boolean;
  /** A taskserv that is brought to another version: an entry of it that cannot be used is passed over. */
  renewed?: string;
}

/** A definition, or all that keeps the file from being one. */
export type LoadedDefinition =
  | ({
      definition: Definition;
      source: Source;
      given: ExternalValue[];
      /**
       * Place of the version of a service in the source, by `SERVER/TASKSERV`, or where it would be. Required services
       * have none.
       */
      versionsAt: ReadonlyMap<string, Path>;
      /** The definition's part of its lock file. Absent if the definition cannot have one. */
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
 * Reads a definition file: its layers, what stands in other files, its expressions, templates, overrides and sources
 * (`READING`); then what it says of servers and services (`assemble`); then the rules of its workspace judge it.
 * Reports everything wrong with it at once, and prints nothing.
 *
 * @throws what a taskserv of the workspace throws that cannot be loaded or asked
 */
export async function loadDefinition(path: string, options: LoadOptions): Promise<LoadedDefinition> {
  const composed = await compose(path, options.input?.environment, options.folders, options.text);
  if (Array.isArray(composed)) return { problems: composed };
  const lockPath = lockPathOf(path, options.input?.environment);
  if (lockPath === undefined) {
    const loaded = withoutLock(path, await loadComposed(path, composed, options), options);
    const warnings = [...(composed.source.warnings ?? []), ...((loaded.definition && loaded.warnings) ?? [])];
    return loaded.definition && warnings.length > 0 ? { ...loaded, warnings } : loaded;
  }
  const file = await readLockFile(lockPath);
  if ('message' in file) return { problems: [file] };
  const locking: LockSession = { file, infra: '', renewed: options.lock?.renewed, noted: [] };
  const loaded = await loadComposed(path, composed, { ...options, locking });
  if (!loaded.definition) return loaded;
  const findings = new Findings();
  const used = { ...locking, infra: loaded.definition.infra };
  const lock = await useLock(used, hashesIn(options), options.lock?.frozen === true, findings);
  const problems = [...problemsOf(loaded.source, findings), ...(Array.isArray(lock) ? lock : [])];
  return problems.length > 0 || Array.isArray(lock) ? { problems: sortProblems(problems) } : { ...loaded, lock };
}

/** A program has no lock file: with `--frozen`, a constraint in it is a problem. */
function withoutLock(file: string, loaded: LoadedDefinition, { lock }: Pick<LoadOptions, 'lock'>): LoadedDefinition {
  const open = loaded.definition?.servers.flatMap(({ taskservs }) => taskservs).find(({ constraint }) => constraint !== undefined);
  if (!lock?.frozen || !open) return loaded;
  const message = `a program has no lock file, and "${open.name}" asks for "${open.constraint}"`;
  return { problems: [{ file, line: 1, column: 1, path: '', message, suggestion: `write the version: "${open.version}"` }] };
}

/** Asks the `versions.json` of taskservs. */
function hashesIn({ registries }: LoadOptions) {
  return async (taskserv: string, version: string): Promise<Hashes | undefined> => {
    const one = (await loadPublishedVersions(registries.taskservs, taskserv))?.versions[version];
    if (!one?.amd64 && !one?.arm64) return undefined;
    return { ...(one.amd64 && { amd64: one.amd64.sha256 }), ...(one.arm64 && { arm64: one.arm64.sha256 }) };
  };
}

/** The same of a source that is put together already. @param path how it was named */
export async function loadComposed(path: string, composed: ComposedDefinition, options: LoadOptions): Promise<LoadedDefinition> {
  const draft = await readOut({ path, composed, read: { source: composed.source, perServer: shareConfig } }, options);
  if (Array.isArray(draft)) return { problems: sortProblems(draft) };
  const { source } = draft.read;
  const settings = await options.input?.settings?.(infraIn(source.value));
  const modules = await modulesOf(source, settings, options);
  const given: ExternalValue[] = [];
  const { loaded, places } = understood(source, options, modules, { ...draft.read, settings, given });
  const findings = new Findings();
  await checkGiven(given, options.referenceKinds ?? {}, composed.root, findings);
  if (findings.all.length > 0) return { problems: sortProblems([...loaded.problems, ...problemsOf(source, findings)]) };
  return rules(loaded, draft, { taskservs: modules.taskservs, places }, options);
}

/** A definition on the way from its files to its text. */
interface Draft {
  /** How it was named. */
  path: string;
  composed: ComposedDefinition;
  /** Its text by now, and what its expressions came to. */
  read: InterpolatedSource;
}

/** One step of that way. It ends with the problems of a step, if it has some. */
type ReadingStep = (draft: Draft, options: LoadOptions) => Promise<Draft | Problem[]>;

const READING: readonly ReadingStep[] = [contents, expressions, templates, overrides, sources];

async function readOut(draft: Draft, options: LoadOptions): Promise<Draft | Problem[]> {
  let now = draft;
  for (const step of READING) {
    const next = await step(now, options);
    if (Array.isArray(next)) return next;
    now = next;
  }
  return now;
}

/** Contents of files and folders take the place of their names. */
async function contents(draft: Draft, { closed = [] }: LoadOptions): Promise<Draft | Problem[]> {
  const { value } = draft.composed.source;
  const composed = await insertContents(draft.composed, { hasExpressions: isRecord(value) && isInterpolated(value), closed });
  return Array.isArray(composed) ? composed : { ...draft, composed };
}

async function expressions(draft: Draft, { workspace, input = {} }: LoadOptions): Promise<Draft | Problem[]> {
  const read = await interpolateDefinition(draft.composed, workspace, input);
  return Array.isArray(read) ? read : { ...draft, read };
}

async function templates(draft: Draft, { workspace, input = {} }: LoadOptions): Promise<Draft | Problem[]> {
  const { isWorkspace } = draft.composed;
  const read = await applyTemplates(draft.read, { root: shownRoot(draft), isWorkspace, workspace, input });
  return Array.isArray(read) ? read : { ...draft, read };
}

/** Applies overrides of the definition. */
async function overrides(draft: Draft, { input }: LoadOptions): Promise<Draft> {
  const { source } = draft.read;
  if (!isRecord(source.value)) return draft;
  return { ...draft, read: { ...draft.read, source: { ...source, value: { ...source.value, ...input?.over } } } };
}

/** Resolves the commits of application sources. */
async function sources(draft: Draft, options: LoadOptions): Promise<Draft | Problem[]> {
  const source = (await options.sources?.(draft.read.source, draft.composed.root)) ?? draft.read.source;
  return Array.isArray(source) ? source : { ...draft, read: { ...draft.read, source } };
}

/** Files of the workspace are named as the definition was. */
const shownRoot = ({ path, composed: { root } }: Draft): string => (isAbsolute(path) ? root : relative('', root));

/** Loads the modules that a definition names, with what it is laid over. */
async function modulesOf(
  { value }: Source,
  settings: DefinitionSettings | undefined,
  { registries }: LoadOptions,
): Promise<Modules> {
  const named = findNamed(isRecord(value) && settings ? layUnder(value, settings).value : value);
  const [taskservs, providers] = await Promise.all([
    loadModules(registries.taskservs, named.taskservs),
    loadModules(registries.providers, named.providers),
  ]);
  return { taskservs, providers };
}

/** The definition as the rules of its workspace judge it. */
async function rules(
  loaded: LoadedDefinition,
  draft: Draft,
  known: Pick<Modules, 'taskservs'> & { places: Map<string, Path> },
  { input, cost }: LoadOptions,
): Promise<LoadedDefinition> {
  // Without a workspace, the folder of a definition may have unrelated files.
  if (!loaded.definition || !draft.composed.isWorkspace) return loaded;
  const judging = { root: shownRoot(draft), environment: input?.environment, ...known, ...(cost ? { cost } : {}) };
  const { problems, warnings, excepted } = await judge(loaded.definition, draft.read.source, judging);
  if (problems.length > 0) return { problems };
  return { ...loaded, warnings: [...(loaded.warnings ?? []), ...warnings], excepted };
}

const infraIn = (value: unknown): string | undefined =>
  isRecord(value) && typeof value.infra === 'string' && NAME.test(value.infra) ? value.infra : undefined;

/** The definition that a source says. */
export const understand = (source: Source, options: LoadOptions, modules: Modules, worked?: ExpressionResults): LoadedDefinition =>
  understood(source, options, modules, worked).loaded;

/** The same, with where its servers and services stand in the source. */
function understood(
  source: Source,
  options: LoadOptions,
  modules: Modules,
  worked: ExpressionResults = { perServer: shareConfig },
): { loaded: LoadedDefinition; places: Map<string, Path> } {
  const places = new Map<string, Path>();
  const versionsAt = new Map<string, Path>();
  return { loaded: judged(source, options, { given: [], ...modules, ...worked, places, versionsAt }), places };
}

function judged(source: Source, options: LoadOptions, making: AssemblyParts): LoadedDefinition {
  if (!isRecord(source.value)) return { problems: reportNotAMap(source, 'a definition') };
  const findings = new Findings();
  if (source.value.infra === undefined && source.value.operations !== undefined) {
    findings.value([], 'the file defines a batch, not an infra', `provisioning batch submit ${basename(source.file)}`);
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
  if (problems.length > 0 || !definition) return { problems };
  const warnings = problemsOf({ ...source, faults: [] }, { all: findings.warnings });
  return { definition, source, given, versionsAt, problems: [], ...(warnings.length > 0 && { warnings }) };
}
