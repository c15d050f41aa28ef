import { fingerprint } from '../../core/encoding/hash.js';
import { LIMITS } from '../../core/limits.js';
import type { Composed } from '../layers/compose.js';
import { didYouMean } from '../source/did-you-mean.js';
import { type Path, type Problem, pathText } from '../source/problem.js';
import { readSource } from '../source/read-source.js';
import { isRecord } from '../source/salvage.js';
import type { FileText, Source } from '../source/source.js';
import { AS_IT_IS, Fault, partsOf } from './expression.js';
import { type Lookup, surroundings } from './names.js';
import { type Resolver, resolverOf, type Say } from './resolver.js';
import { declaredIn, takeAnswer, takeFile, takeText, type Variable } from './variables.js';

/** What is said to whom is asked for the value of a variable. */
export type Asked = Pick<Variable, 'name' | 'description' | 'choices'>;

/** What a definition is given besides its file. */
export interface DefinitionInput {
  /** Whose overlay and values it gets. */
  environment?: string;
  /** Files with values of variables, the later ones win. */
  varFiles?: readonly string[];
  /** `NAME=VALUE`, over all files. */
  vars?: readonly string[];
  /** Asks whoever is there for the value of a variable that has none. */
  ask?(variable: Asked): Promise<string>;
  /** The environment that `{{ env.NAME }}` is looked up in. */
  environ?: Readonly<Record<string, string | undefined>>;
}

/** Puts what differs between servers into a configuration that they share. */
export type PerServer = <T>(config: T, server: { name: string; group: string }) => T;

export interface Interpolated {
  source: Source;
  perServer: PerServer;
  /** The files that values were taken from. */
  texts: readonly FileText[];
}

/** Keys that say something about the file, and have no expressions themselves. */
const OWN_KEYS = new Set(['vars', 'env', 'interpolate', 'include']);

/** Whether a definition says that its texts have expressions. */
const says = (file: Record<string, unknown>): boolean =>
  typeof file.interpolate === 'boolean' ? file.interpolate : file.vars !== undefined || file.env !== undefined;

/** Puts values in place of the expressions of a definition that says that it has some. */
export async function interpolated(
  { source, root, values }: Composed,
  workspace: string,
  input: DefinitionInput,
): Promise<Interpolated | Problem[]> {
  const file = source.value;
  if (!isRecord(file)) return { source, perServer: (config) => config, texts: [] };
  const variables = declaredIn(source);
  const { problems, texts } = await take(variables, source, values, input);
  if (problems.length > 0) return problems;
  if (!says(file)) return { source, perServer: (config) => config, texts };
  const say: Say = (at, path, message, suggestion) => {
    if (problems.length >= LIMITS.problems) return;
    const { path: there = path, ...place } = at.place(path, 'value');
    problems.push({ file: at.file, ...place, path: pathText(there), message, ...(suggestion ? { suggestion } : {}) });
  };
  for (const variable of variables.values()) {
    const fault = await faultWithout(variable, source, input);
    if (fault) say(source, variable.path, fault.message, fault.suggestion);
  }
  if (problems.length > 0) return problems;
  const { evaluate } =
    JSON.stringify(file).includes('{{') || variables.size > 0 ? await import('./engine.js') : { evaluate: () => undefined };
  const listed = (Array.isArray(file.env) ? file.env : []).filter((name) => typeof name === 'string');
  const around = surroundings({ definition: source.file, root, workspace, listed, environ: input.environ ?? {} });
  let asking = false;
  const lookups: Record<string, Lookup> = {
    ...around,
    server: () => {
      throw new Fault('what is said of a server is known only in the configuration of its taskservs', AS_IT_IS);
    },
    infra: (name) => {
      if (name !== 'name') throw new Fault(`there is no "infra.${name}"`, 'did you mean "infra.name"?');
      if (asking) throw new Fault('the name of the infra needs itself: infra → infra', 'write it out');
      asking = true;
      try {
        return typeof file.infra === 'string' ? resolver.text(file.infra) : undefined;
      } finally {
        asking = false;
      }
    },
  };
  const resolver = resolverOf({ evaluate, variables, lookups, say });
  for (const variable of variables.values()) {
    if (!variable.sensitive) attempt(() => resolver.text(`{{ vars.${variable.name} }}`), source, variable.path, say);
  }
  const later = new Map<string, string>();
  const value: Record<string, unknown> = {};
  for (const [key, one] of Object.entries(file)) {
    const shared = OWN_KEYS.has(key) ? one : withoutServers(one, [key], source, later, resolver, say);
    value[key] = OWN_KEYS.has(key) ? one : resolver.resolve({ value: shared, path: [key], source });
  }
  return problems.length > 0 ? problems : { source: { ...source, value }, perServer: perServerOf(resolver, later), texts };
}

/** What is wrong where a variable has no value, or must not have one; who is there is asked first. */
async function faultWithout(
  variable: Variable,
  source: Source,
  { ask }: DefinitionInput,
): Promise<{ message: string; suggestion?: string } | undefined> {
  const { name, value, sensitive } = variable;
  if (sensitive) {
    const message = `the variable "${name}" is sensitive: it stands for the secret of its name, and has no default`;
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
    const file = await readSource(path, 'vars: { NAME: VALUE }');
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

const isConfiguration = (path: Path): boolean =>
  (path[0] === 'taskservs' && path[2] === 'config') || (path[0] === 'servers' && path[2] === 'taskservs' && path[4] === 'config');

/** A value with a word in place of each text of a configuration that says something of its server; the words are kept with the texts. */
function withoutServers(
  value: unknown,
  path: Path,
  source: Source,
  later: Map<string, string>,
  resolver: Resolver,
  say: Say,
): unknown {
  if (typeof value === 'string') {
    if (!isConfiguration(path) || !usesServer(value) || source.isRaw?.(path)) return value;
    attempt(() => resolver.text(value, { server: serverLookup({ name: 'server', group: 'server' }) }), source, path, say);
    const word = `server-text-${fingerprint(value)}`;
    later.set(word, value);
    return word;
  }
  if (Array.isArray(value)) return value.map((one, index) => withoutServers(one, [...path, index], source, later, resolver, say));
  if (!isRecord(value) || (Object.keys(value).length === 1 && Object.hasOwn(value, 'raw'))) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, withoutServers(one, [...path, key], source, later, resolver, say)]),
  );
}

function usesServer(text: string): boolean {
  try {
    return (partsOf(text) ?? []).some((part) => typeof part === 'object' && part.names.some(({ path }) => path[0] === 'server'));
  } catch {
    // It is told of where all texts are read.
    return false;
  }
}

const serverLookup =
  ({ name, group }: { name: string; group: string }): Lookup =>
  (what) => {
    if (what === 'name') return name;
    if (what === 'index') return name === group ? 1 : Number(name.slice(group.length + 1));
    throw new Fault(`there is no "server.${what}"`, didYouMean(what, ['name', 'index']));
  };

function perServerOf(resolver: Resolver, later: ReadonlyMap<string, string>): PerServer {
  if (later.size === 0) return (config) => config;
  const settle = (value: unknown, server: Lookup): unknown => {
    const text = typeof value === 'string' ? later.get(value) : undefined;
    if (text !== undefined) return resolver.text(text, { server });
    if (Array.isArray(value)) return value.map((one) => settle(one, server));
    return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, settle(one, server)])) : value;
  };
  return <T>(config: T, server: { name: string; group: string }) => settle(config, serverLookup(server)) as T;
}
