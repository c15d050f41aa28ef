import type { VariableEntry } from '../../core/schema/reuse.js';
import { findHiddenCharacter } from '../../core/text.js';
import { didYouMean } from '../source/did-you-mean.js';
import { type Path, type Problem, pathText } from '../source/problem.js';
import { isRecord } from '../source/salvage.js';
import type { Source } from '../source/source.js';

type VariableType = NonNullable<VariableEntry['type']>;

/** A variable that a definition declares, with what it has got as its value. */
export interface Variable {
  name: string;
  type: VariableType;
  description?: string;
  sensitive: boolean;
  /** Its type is that of an expression's value, which is not known before. */
  open?: boolean;
  choices?: readonly (string | number)[];
  /** Smallest and largest allowed number. */
  min?: number;
  max?: number;
  /** Path of its declaration. */
  path: Path;
  value?: GivenValue;
}

/** A value and where it is said. */
export interface GivenValue {
  value: unknown;
  source: Source;
  path: Path;
  /** From the command line: nothing in it is an expression. */
  literal?: boolean;
}

const TYPES: readonly VariableType[] = ['string', 'number', 'boolean', 'list', 'map'];

function typeOf(value: unknown): VariableType | undefined {
  if (Array.isArray(value)) return 'list';
  if (isRecord(value)) return 'map';
  return TYPES.find((type) => type === typeof value);
}

const isExpression = (value: unknown): boolean => typeof value === 'string' && value.includes('{{');

/** Content of `{ raw: … }`. */
const textIn = (value: unknown): unknown => (isRecord(value) && Object.keys(value).length === 1 ? (value.raw ?? value) : value);

/**
 * Reads the variables of a definition with their defaults. Invalid declarations are omitted, because the schema
 * reports them.
 */
export function readDeclared(source: Source): Map<string, Variable> {
  const vars = isRecord(source.value) && isRecord(source.value.vars) ? source.value.vars : {};
  const declared = Object.entries(vars).flatMap(([name, said]): [string, Variable][] => {
    const path = ['vars', name];
    if (!isRecord(said)) {
      const type = typeOf(said);
      const open = isExpression(said);
      return type === undefined ? [] : [[name, { name, type, open, sensitive: false, path, value: { value: said, source, path } }]];
    }
    const { default: value, description } = said;
    const type = TYPES.find((one) => one === said.type) ?? typeOf(textIn(value)) ?? 'string';
    const open = said.type === undefined && isExpression(value);
    const given = value === undefined || value === null ? undefined : { value, source, path: [...path, 'default'] };
    const choices = Array.isArray(said.enum) ? (said.enum as (string | number)[]) : undefined;
    const text = typeof description === 'string' ? description : undefined;
    const [min, max] = [said.min, said.max].map((bound) => (typeof bound === 'number' ? bound : undefined));
    const bounds = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
    const sensitive = said.sensitive === true;
    return [[name, { name, type, open, description: text, sensitive, choices, ...bounds, path, value: given }]];
  });
  return new Map(declared);
}

/** Takes the values that a file of an environment gives. @returns what is wrong with it */
export function takeFile(file: Source, variables: ReadonlyMap<string, Variable>, options: { strict: boolean }): Problem[] {
  const problem = (path: Path, message: string, suggestion?: string): Problem => problemAt(file, path, message, suggestion);
  const problems = file.faults.map(({ line, column, message }): Problem => ({ file: file.file, line, column, path: '', message }));
  if (problems.length > 0) return problems;
  const { value } = file;
  if (!isRecord(value)) return [problem([], 'the file must be a map with the key "vars"', 'vars: { NAME: VALUE }')];
  for (const key of Object.keys(value)) {
    // The file of an environment also has its settings.
    if (key !== 'vars' && ((key !== 'config' && key !== 'sops') || options.strict))
      problems.push(
        problem([key], `unknown key "${key}"`, 'put values of variables below "vars"; other keys belong in an overlay'),
      );
  }
  if (value.vars !== undefined && !isRecord(value.vars))
    problems.push(problem(['vars'], 'expected a map of names with their values'));
  for (const [name, given] of Object.entries(isRecord(value.vars) ? value.vars : {})) {
    const path = ['vars', name];
    const variable = variables.get(name);
    if (variable?.sensitive) problems.push(problem(path, ...sensitive(variable)));
    else if (isSealed(given)) problems.push(problem(path, ...sealed(name)));
    else if (variable) variable.value = { value: given, source: file, path };
    else if (options.strict) problems.push(problem(path, ...unknown(name, variables)));
  }
  return problems;
}

/** Takes `NAME=VALUE` of the command line. @returns what is wrong with it, without the value */
export function takeText(text: string, variables: ReadonlyMap<string, Variable>, source: Source): Problem[] {
  const [, name = '', value = ''] = /^([^=]*)=([\s\S]*)$/.exec(text) ?? [];
  const problem = (path: Path, message: string, suggestion?: string): Problem[] => [
    problemAt(source, path, `--var: ${message}`, suggestion),
  ];
  if (name === '') return problem(['vars'], 'write NAME=VALUE', '--var size=large');
  const variable = variables.get(name);
  if (!variable) return problem(['vars'], ...unknown(name, variables));
  if (variable.sensitive) return problem(variable.path, ...sensitive(variable));
  const found = takeAnswer(value, variable, source);
  return found ? problem(variable.path, found.message, found.suggestion) : [];
}

/** Takes what a person typed. @returns what is wrong with it, without the value */
export function takeAnswer(text: string, variable: Variable, source: Source): { message: string; suggestion?: string } | undefined {
  const { name, type, path } = variable;
  const hidden = findHiddenCharacter(text);
  if (hidden) return { message: `the value of "${name}" holds the character ${hidden}, which is not allowed` };
  const value = typedText(text, type);
  if (value === undefined) return { message: `"${name}" is ${WORDS[type]}, and the text is not`, suggestion: HOW[type] };
  variable.value = { value, source, path, literal: true };
  return undefined;
}

function problemAt(source: Source, path: Path, message: string, suggestion?: string): Problem {
  const { path: there = path, ...place } = source.place(path, 'key');
  return { file: source.file, ...place, path: pathText(there), message, ...(suggestion ? { suggestion } : {}) };
}

const WORDS: Readonly<Record<VariableType, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  list: 'a list',
  map: 'a map',
};
const HOW: Readonly<Record<VariableType, string | undefined>> = {
  string: undefined,
  number: 'write digits, such as 3 or 1.5',
  boolean: 'write true or false',
  list: 'write it as JSON: ["a", "b"]',
  map: 'write it as JSON: {"a": 1}',
};

/** Converts a text to a value of a type. Undefined if the text is no such value. */
function typedText(text: string, type: VariableType): unknown {
  if (type === 'string') return text;
  if (type === 'number') return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : undefined;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeOf(value) === type ? value : undefined;
  } catch {
    return undefined;
  }
}

const unknown = (name: string, variables: ReadonlyMap<string, Variable>): [message: string, suggestion?: string] =>
  variables.size === 0
    ? ['this definition declares no variables', `declare it: vars: { ${name.slice(0, 40)}: { type: string } }`]
    : [`there is no variable "${name.slice(0, 80)}"`, didYouMean(name, variables.keys())];

const sensitive = ({ name }: Variable): [message: string, suggestion: string] => [
  `the variable "${name}" is sensitive: it stands for the secret of its name, and no file or command line gives its value`,
  `provisioning secret set ${name}`,
];

/** Fault of a variable's value. The text does not repeat the value. */
export function faultOf(variable: Variable, value: unknown): { message: string; suggestion?: string } | undefined {
  const type = typeOf(value);
  if (type !== variable.type && !(variable.open && type !== undefined)) {
    return { message: `the variable "${variable.name}" is ${WORDS[variable.type]}, this is ${type ? WORDS[type] : 'nothing'}` };
  }
  const { min, max } = variable;
  if (typeof value === 'number' && min !== undefined && value < min)
    return { message: `the variable "${variable.name}" is at least ${min}` };
  if (typeof value === 'number' && max !== undefined && value > max)
    return { message: `the variable "${variable.name}" is at most ${max}` };
  if (!variable.choices || variable.choices.includes(value as string)) return undefined;
  return {
    message: `the variable "${variable.name}" is one of ${variable.choices.join(', ')}`,
    suggestion: typeof value === 'string' ? didYouMean(value, variable.choices.map(String)) : undefined,
  };
}

/** Whether it is a value that SOPS has encrypted. */
const isSealed = (value: unknown): boolean => typeof value === 'string' && value.startsWith('ENC[AES256_GCM,');

const sealed = (name: string): [message: string, suggestion: string] => [
  `the value of "${name}" is encrypted, and values of variables are recorded with the definition`,
  'say { sops: FILE, key: PATH } where the secret is needed, or leave vars legible: encrypted_regex: ^config$',
];
