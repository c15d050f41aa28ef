import { dirname } from 'node:path';
import type { Definition } from '../../core/definition/definition.js';
import { LIMITS } from '../../core/limits.js';
import { NAME } from '../../core/names.js';
import type { SettingsFor } from '../defaults/definition-settings.js';
import type { ComposedDefinition } from '../layers/compose.js';
import { type Path, type Problem, pathText } from '../source/problem.js';
import { readSource } from '../source/read-source.js';
import { isRecord } from '../source/salvage.js';
import type { FileText, Source } from '../source/source.js';
import { configLookup } from './config-names.js';
import { Fault } from './expression.js';
import { type Lookup, surroundings } from './names.js';
import { createOtherInfraLookup, findOtherInfras, type OtherInfra } from './other-infras.js';
import { type OutputParts, outputParts, outputsWithTexts } from './output-parts.js';
import { createPerServer, LATE_ONLY, removeLate, type ServerInterpolation, shareConfig } from './per-server.js';
import { createResolver, type Say } from './resolver.js';
import { readDeclared, takeAnswer, takeFile, takeText, type Variable } from './variables.js';

/** Question to the user for the value of a variable. */
export type VariableQuestion = Pick<Variable, 'name' | 'description' | 'choices'>;

/** Inputs of a definition beside its file. */
export interface DefinitionInput {
  /** Whose overlay and values it gets. */
  environment?: string;
  /** Files with values of variables, the later ones win. */
  varFiles?: readonly string[];
  /** `NAME=VALUE`, over all files. */
  vars?: readonly string[];
  /** Asks whoever is there for the value of a variable that has none. */
  ask?(variable: VariableQuestion): Promise<string>;
  /** The environment that `{{ env.NAME }}` is looked up in. */
  environ?: Readonly<Record<string, string | undefined>>;
  /** Settings: `{{ config.KEY }}`, and the defaults beneath the definition. */
  settings?: SettingsFor;
  /** Overrides of the file by its reader: the operation of a batch, or a test environment. */
  over?: { provider?: string; region?: string; infra?: string };
  /** Asks what another infra of the workspace has; only called where the definition names one. */
  otherInfra?(name: string): Promise<OtherInfra>;
}

export interface InterpolatedSource {
  source: Source;
  perServer: ServerInterpolation;
  /** The texts of outputs, in their parts. */
  outputs?: ReadonlyMap<string, OutputParts>;
  /** Results of expressions whose value may change, by name. */
  resolved?: Resolved;
}

type Resolved = NonNullable<Definition['resolved']>;

/** Keys that say something about the file, and have no expressions themselves. */
const OWN_KEYS = new Set(['vars', 'env', 'interpolate', 'include']);

/** Whether a definition says that its texts have expressions. */
export const isInterpolated = (file: Record<string, unknown>): boolean =>
  typeof file.interpolate === 'boolean' ? file.interpolate : ['vars', 'env', 'outputs'].some((key) => file[key] !== undefined);

/** Resolves the expressions of a definition that declares some. */
export async function interpolateDefinition(
  { source, root, values }: ComposedDefinition,
  workspace: string,
  input: DefinitionInput,
): Promise<InterpolatedSource | Problem[]> {
  const file = source.value;
  if (!isRecord(file)) return { source, perServer: shareConfig };
  const variables = readDeclared(source);
  const { problems, texts } = await take(variables, source, values, input);
  if (problems.length > 0) return problems;
  if (!isInterpolated(file)) return { source: alsoFrom(source, texts), perServer: shareConfig };
  for (const variable of variables.values()) {
    const fault = await faultWithout(variable, source, input);
    if (fault) sayInto(problems)(source, variable.path, fault.message, fault.suggestion);
  }
  if (problems.length > 0) return problems;
  const worked = await workOut(source, variables, { root, workspace, input });
  return Array.isArray(worked) ? worked : { ...worked, source: alsoFrom(worked.source, texts) };
}

/** The source with the files that its values were taken from. */
const alsoFrom = (source: Source, texts: readonly FileText[]): Source => ({
  ...source,
  texts: [...(source.texts ?? []), ...texts],
});

/** Inputs of expressions beside variables. */
export interface WorkedFrom {
  root: string;
  workspace: string;
  input: DefinitionInput;
  /** Name of the infra if the file has none. */
  infra?: string;
}

const sayInto =
  (problems: Problem[]): Say =>
  (at, path, message, suggestion) => {
    if (problems.length >= LIMITS.problems) return;
    const { path: there = path, ...place } = at.place(path, 'value');
    problems.push({ file: at.file, ...place, path: pathText(there), message, ...(suggestion ? { suggestion } : {}) });
  };

/** Resolves the expressions of a source whose variables have values. */
export async function workOut(
  source: Source,
  variables: Map<string, Variable>,
  from: WorkedFrom,
): Promise<InterpolatedSource | Problem[]> {
  const file = source.value as Record<string, unknown>;
  const problems: Problem[] = [];
  const say = sayInto(problems);
  const { evaluate } =
    JSON.stringify(file).includes('{{') || variables.size > 0 ? await import('./engine.js') : { evaluate: () => undefined };
  const resolved: Resolved = {};
  const lookups = await lookupsOf(source, variables, from, (text) => resolver.text(text));
  for (const group of CHANGING) lookups[group] = noted(group, lookups[group] as Lookup, resolved);
  const resolver = createResolver({ evaluate, variables, lookups, say });
  for (const variable of variables.values()) {
    if (!variable.sensitive) attempt(() => resolver.text(`{{ vars.${variable.name} }}`), source, variable.path, say);
  }
  const later = new Map<string, string>();
  const value: Record<string, unknown> = {};
  for (const [key, one] of Object.entries(file)) {
    if (key === 'outputs') value[key] = outputsWithTexts(one, source, resolver);
    else if (OWN_KEYS.has(key)) value[key] = one;
    else value[key] = resolver.resolve({ value: removeLate(one, [key], { source, later, resolver, say }), path: [key], source });
  }
  const outputs = outputParts(file.outputs, source, resolver, say);
  return problems.length > 0
    ? problems
    : { source: { ...source, value }, perServer: createPerServer(resolver, later), outputs, resolved };
}

/** Lookups of names that are not variables. */
async function lookupsOf(
  source: Source,
  variables: ReadonlyMap<string, Variable>,
  { root, workspace, input, infra }: WorkedFrom,
  textOf: (text: string) => unknown,
): Promise<Record<string, Lookup>> {
  const file = source.value as Record<string, unknown>;
  const listed = (Array.isArray(file.env) ? file.env : []).filter((name) => typeof name === 'string');
  const around = surroundings({ definition: source.file, root, workspace, listed, environ: input.environ ?? {} });
  // If the name of the infra is an expression, its own settings are not known yet.
  const settings = usesConfig([file, ...[...variables.values()].map(({ value }) => value?.value)])
    ? await input.settings?.(plainName(infra ?? file.infra))
    : undefined;
  const otherInfra = createOtherInfraLookup(
    await askOthers([file, ...[...variables.values()].map(({ value }) => value?.value)], input),
  );
  let asking = false;
  return {
    ...around,
    config: configLookup(settings),
    ...LATE_ONLY,
    infra: (name, rest) => {
      if (rest.length > 0 || name !== 'name') return otherInfra(name, rest);
      if (infra !== undefined) return infra;
      if (asking) throw new Fault('the name of the infra needs itself: infra → infra', 'write it without an expression');
      asking = true;
      try {
        return typeof file.infra === 'string' ? textOf(file.infra) : undefined;
      } finally {
        asking = false;
      }
    },
  };
}

/** Names of what may be another thing another time. */
const CHANGING = ['now', 'git', 'infra'] as const;

/** A lookup whose answers are kept, but for the name of the own infra. */
const noted =
  (group: string, lookup: Lookup, resolved: Resolved): Lookup =>
  (name, rest) => {
    const value = lookup(name, rest);
    const found = rest.reduce<unknown>((inside, key) => (isRecord(inside) ? inside[key] : undefined), value);
    if (
      (group !== 'infra' || rest.length > 0) &&
      (typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean')
    )
      resolved[[group, name, ...rest].join('.')] = found;
    return value;
  };

async function askOthers(values: readonly unknown[], { otherInfra }: DefinitionInput): Promise<Map<string, OtherInfra>> {
  const unknown: OtherInfra = { fault: 'values of other infras are not available here' };
  const names = [...new Set(values.flatMap(findOtherInfras))];
  return new Map(await Promise.all(names.map(async (name) => [name, otherInfra ? await otherInfra(name) : unknown] as const)));
}

const usesConfig = (values: readonly unknown[]): boolean => /\{\{[^}]*\bconfig\b/.test(JSON.stringify(values));
const plainName = (infra: unknown): string | undefined => (typeof infra === 'string' && NAME.test(infra) ? infra : undefined);

/** Fault of a variable without a value, or with a forbidden value. On a terminal, the user is asked first. */
async function faultWithout(
  variable: Variable,
  source: Source,
  { ask }: DefinitionInput,
): Promise<{ message: string; suggestion?: string } | undefined> {
  const { name, value, sensitive } = variable;
  if (sensitive) {
    const message = `the variable "${name}" is sensitive: its value is the secret of the same name, so it cannot have a default`;
    return value && { message, suggestion: `provisioning secret set ${name}` };
  }
  if (value) return undefined;
  if (ask) return takeAnswer(await ask(variable), variable, source);
  const suggestion = `--var ${name}=VALUE, a default, or environments/NAME.yaml with --env NAME`;
  return { message: `the variable "${name}" has no value`, suggestion };
}

/** Gives variables their values, the later over the earlier. @returns what is wrong with them, and the files that they are from */
async function take(
  variables: Map<string, Variable>,
  source: Source,
  values: string | undefined,
  input: DefinitionInput,
): Promise<{ problems: Problem[]; texts: FileText[] }> {
  const texts: FileText[] = [];
  const files = [
    ...(values === undefined ? [] : [{ path: values, strict: false }]),
    ...(input.varFiles ?? []).map((path) => ({ path, strict: true })),
  ];
  const problems: Problem[] = [];
  for (const { path, strict } of files) {
    const file = await readSource(path, 'vars: { NAME: VALUE }', strict ? undefined : dirname(dirname(path)));
    problems.push(...('message' in file ? [file] : takeFile(file, variables, { strict })));
    if (!('message' in file)) texts.push(...(file.texts ?? []));
  }
  for (const text of input.vars ?? []) problems.push(...takeText(text, variables, source));
  return { problems, texts };
}

function attempt(work: () => unknown, source: Source, path: Path, say: Say): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error.message !== undefined) say(source, path, error.message, error.suggestion);
  }
}
