import { basename, dirname, resolve } from 'node:path';
import { findExcess } from '../../core/definition/weight.js';
import { LIMITS } from '../../core/limits.js';
import { isPowerVerb } from '../../core/operation/power.js';
import { type BatchEntry, type BatchFile, batchEntry, batchFile } from '../../core/schema/batch.js';
import type { BatchSubmission } from '../../core/schema/batch-request.js';
import { type InterpolatedSource, interpolateDefinition } from '../interpolation/interpolate.js';
import { readNamed } from '../languages/read-named.js';
import { workspaceFolder } from '../layers/workspace-folder.js';
import { type LoadedDefinition, type LoadOptions, loadDefinition } from '../load-definition.js';
import { didYouMean } from '../source/did-you-mean.js';
import { Findings } from '../source/findings.js';
import { isProgram } from '../source/formats.js';
import { type Problem, sortProblems } from '../source/problem.js';
import { problemsOf, reportNotAMap } from '../source/read-source.js';
import { isRecord } from '../source/salvage.js';
import { complaints } from '../source/schema-issues.js';
import type { Source } from '../source/source.js';
import { expandEntry, groupOf, type Instance, MOST, type UnderstoodEntry } from './expand-batch.js';
import { orderBatch } from './order-batch.js';

/** Content of a batch file: a submission without the fields that depend on its submitter. */
export type BatchPlan = Omit<BatchSubmission, 'id' | 'workspace' | 'actor'>;

export interface BatchOptions extends LoadOptions {
  /** The environment of the batch's definitions, which each operation names. Nothing is read for it. */
  environment?: string | undefined;
}

/** A batch, or all that keeps the file from being one. */
export type LoadedBatch =
  | { plan: BatchPlan; reads: ReadonlyMap<string, LoadedDefinition>; warnings?: readonly Problem[]; problems: [] }
  | { plan?: undefined; reads?: undefined; warnings?: undefined; problems: Problem[] };

/**
 * Reads a batch file and the definitions it names. Reports everything wrong with
 * all of them at once; throws nothing and prints nothing.
 */
export async function loadBatch(path: string, options: BatchOptions): Promise<LoadedBatch> {
  const source = await readNamed(path, 'docs/use/batches.md has one to start from', {
    env: options.input?.environment,
    folders: options.folders,
  });
  if (Array.isArray(source)) return { problems: source };
  if (!isRecord(source.value)) return { problems: reportNotAMap(source, 'a batch') };
  const read = await workedOut(path, source, options);
  if (Array.isArray(read)) return { problems: sortProblems(read) };
  const value = read.source.value as Record<string, unknown>;
  const findings = new Findings();
  if (value.operations === undefined && value.infra !== undefined) {
    findings.value([], 'the file defines an infra, not a batch', `provisioning apply ${basename(path)}`);
    return { problems: problemsOf(source, findings) };
  }
  findings.all.push(...complaints(batchFile, value));
  const { plan, reads, foreign } = await assemble(value, path, options, findings);
  const problems = [...problemsOf(source, findings), ...foreign];
  const excess = plan && problems.length === 0 ? findExcess(plan, LIMITS.batch, LIMITS.batch) : undefined;
  if (excess) findings.value([], `the batch with its definitions is too large: ${excess}`, 'make several batches of it');
  return excess || problems.length > 0 || !plan || !reads
    ? { problems: [...problems, ...(excess ? problemsOf(source, findings) : [])] }
    : { plan, reads, warnings: source.warnings, problems: [] };
}

/**
 * Resolves the expressions of the file. Values of variables hold only for this file, because a definition has its own.
 */
async function workedOut(path: string, source: Source, { workspace, input }: LoadOptions): Promise<InterpolatedSource | Problem[]> {
  const { folder: root, isMarked: isWorkspace } = await workspaceFolder(path);
  return interpolateDefinition({ source, root, isWorkspace }, workspace, input ?? {});
}

/** Assembles the valid parts of the file. The faults of other parts are already reported. */
async function assemble(
  value: Record<string, unknown>,
  batch: string,
  options: BatchOptions,
  findings: Findings,
): Promise<{ plan?: BatchPlan; reads?: ReadonlyMap<string, LoadedDefinition>; foreign: Problem[] }> {
  const setting = <K extends keyof BatchFile>(key: K): BatchFile[K] => {
    const parsed = batchFile.shape[key].safeParse(value[key]);
    return (parsed.success ? parsed.data : batchFile.shape[key].safeParse(undefined).data) as BatchFile[K];
  };
  const entries = (Array.isArray(value.operations) ? value.operations : []).flatMap((one: unknown, index) => {
    const parsed = batchEntry.safeParse(one);
    return parsed.success ? [{ index, entry: parsed.data }] : [];
  });
  const broken = brokenNames(value.operations, entries);
  const definitions = await definitionsOf(entries, batch, options, findings);
  const instances: Instance[] = [];
  const groups = new Map<string, number[]>();
  for (const { index, entry } of entries) {
    const definition = entry.file === undefined ? undefined : definitions.get(variantOf(entry))?.definition;
    const mine = expandEntry({ index, entry, definition } satisfies UnderstoodEntry, findings);
    const group = groups.get(groupOf(entry)) ?? [];
    groups.set(groupOf(entry), group);
    for (const instance of mine) group.push(instances.push(instance) - 1);
    if (instances.length > MOST) break;
  }
  if (instances.length > MOST) {
    findings.value(
      ['operations'],
      `${instances.length} operations or more: a batch may have ${MOST}`,
      'make several batches of it',
    );
    return { foreign: [] };
  }
  const entryOf = new Map(entries.map(({ index, entry }) => [index, entry]));
  refuseTwoDefinitions(instances, entryOf, findings);
  const accounts = setting('accounts') ?? {};
  const known = new Set(instances.flatMap((one) => one.accounts));
  for (const name of Object.keys(accounts)) {
    if (!known.has(name)) findings.key(['accounts', name], `no operation works on an account "${name}"`, didYouMean(name, known));
  }
  const priority = setting('priority');
  const urgencyOf = ({ entry }: Instance) => entryOf.get(entry)?.priority ?? priority;
  const ordered = orderBatch(instances, groups, urgencyOf, findings, broken);
  const { environment } = options;
  const named = environment === undefined ? {} : { environment };
  const plan: BatchPlan = {
    name: setting('batch'),
    parallel: setting('parallel'),
    accounts,
    priority,
    onFailure: setting('onFailure'),
    ...(setting('onTimeout') && { onTimeout: setting('onTimeout') }),
    ...(setting('approve') && { approve: ['per-batch-stage'] }),
    definitions: Object.fromEntries([...definitions].flatMap(([file, { definition }]) => (definition ? [[file, definition]] : []))),
    operations: ordered.map(({ instance, stage, needs, after }) => {
      const entry = entryOf.get(instance.entry) as BatchEntry;
      return {
        name: instance.name,
        kind: entry.kind,
        verb: entry.do === 'apply' ? 'ensure' : entry.do,
        infra: instance.infra,
        ...(instance.servers && { servers: instance.servers }),
        ...(instance.taskservs && { taskservs: instance.taskservs }),
        // A switch applies nothing: its file only says which servers there are.
        ...(entry.file !== undefined && !isPowerVerb(entry.do) && { definition: variantOf(entry), ...named }),
        ...(entry.do === 'apply' && { prune: true }),
        ...((entry.allowDestroy || entry.do === 'delete') && { allowDestroy: true }),
        ...(needs.length > 0 && { needs }),
        ...(after.length > 0 && { after }),
        stage,
        ...(entry.priority && { priority: entry.priority }),
        accounts: instance.accounts,
      };
    }),
  };
  const foreign = [...definitions.values()].flatMap(({ problems }) => problems);
  return { plan, reads: definitions, foreign };
}

/** Names of entries without an operation. The fault of each is already reported. */
function brokenNames(operations: unknown, understood: { index: number }[]): Set<string> {
  const indices = new Set(understood.map(({ index }) => index));
  const names = (Array.isArray(operations) ? operations : []).flatMap((one: unknown, index) =>
    isRecord(one) && typeof one.name === 'string' && !indices.has(index) ? [groupOf({ name: one.name })] : [],
  );
  return new Set(names);
}

const PROGRAM_IN_DATA = 'a definition cannot include a program, and this batch is data';

/** Each definition that is named, read once. A file that is not there is a problem of the line that names it. */
async function definitionsOf(
  entries: { index: number; entry: BatchEntry }[],
  batch: string,
  options: LoadOptions,
  findings: Findings,
) {
  const loaded = new Map<string, LoadedDefinition>();
  const { vars: _, varFiles: __, ...input } = options.input ?? {};
  for (const { index, entry } of entries) {
    const { file, provider, region } = entry;
    const at = ['operations', index];
    if (file === undefined) {
      for (const key of ['provider', 'region'] as const)
        if (entry[key] !== undefined)
          findings.key([...at, key], `"${key}" is for a definition, and none is named`, 'add the file of the definition');
      continue;
    }
    const variant = variantOf(entry);
    if (loaded.size >= LIMITS.batchFiles && !loaded.has(variant)) {
      findings.value([...at, 'file'], `more than ${LIMITS.batchFiles} definitions: a batch may name that many files`);
      break;
    }
    if (isProgram(file) && !isProgram(batch)) {
      findings.value([...at, 'file'], PROGRAM_IN_DATA, 'write the batch in a language too, or convert the definition');
      continue;
    }
    const own = { ...options, input: { ...input, over: { ...(provider && { provider }), ...(region && { region }) } } };
    if (!loaded.has(variant)) loaded.set(variant, await loadDefinition(resolve(dirname(batch), file), own));
    const { problems } = loaded.get(variant) as LoadedDefinition;
    const [only] = problems;
    const isSaid = ({ path }: Problem) =>
      (path === 'provider' && provider !== undefined) || (path === 'region' && region !== undefined);
    for (const { path, message, suggestion } of problems.filter(isSaid)) findings.value([...at, path], message, suggestion);
    const whole = problems.length === 1 && only?.path === '' && only.line === 1;
    if (whole) findings.value([...at, 'file'], `"${file}": ${only.message}`, only.suggestion);
    const rest = whole ? [] : problems.filter((problem) => !isSaid(problem));
    if (rest.length < problems.length) loaded.set(variant, { problems: rest });
  }
  return loaded;
}

/** A definition, as an entry has it: the same file may be read for several regions. */
const variantOf = ({ file = '', provider, region }: BatchEntry): string =>
  [file, provider && `at ${provider}`, region && `in ${region}`].filter(Boolean).join(' ');

/** Two definitions of one infra would undo each other. */
function refuseTwoDefinitions(instances: Instance[], entryOf: ReadonlyMap<number, BatchEntry>, findings: Findings): void {
  const first = new Map<string, { file: string; entry: number }>();
  const told = new Set<number>();
  for (const { infra, entry } of instances) {
    const written = entryOf.get(entry);
    if (written?.file === undefined) continue;
    const file = variantOf(written);
    const before = first.get(infra);
    if (!before) first.set(infra, { file, entry });
    else if (before.file !== file && !told.has(entry)) {
      told.add(entry);
      findings.value(
        ['operations', entry, 'file'],
        `the infra "${infra}" has another definition in operations[${before.entry}], "${before.file}"`,
        'one infra, one definition',
      );
    }
  }
}
