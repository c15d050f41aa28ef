import { inputError, ProvisioningError } from '../../core/errors.js';
import type { Problem } from '../../definition/source/problem.js';
import { checkSecretName } from '../../stores/secrets.js';
import { DefinitionError } from '../definition/definition-error.js';
import { readDotenv } from './dotenv.js';
import { textsIn } from './texts-in.js';

export const VALUE_FORMATS = ['dotenv', 'json', 'yaml'] as const;
export type ValueFormat = (typeof VALUE_FORMATS)[number];

/** Maximum size of a secrets file or a value, in bytes. */
export const MOST_BYTES = 1024 * 1024;

const BY_ENDING: Readonly<Record<string, ValueFormat>> = { json: 'json', yaml: 'yaml', yml: 'yaml', env: 'dotenv' };

/** Returns the format of a file by its name: `.env`, `prod.env`, `x.json`, `x.yaml`. */
export function formatOf(file: string): ValueFormat {
  const format = BY_ENDING[file.split('.').at(-1) ?? ''];
  if (format) return format;
  throw inputError({
    code: 'bad-arguments',
    what: 'read the secrets',
    on: file,
    why: 'the name of the file does not show its format',
    hint: `add --format ${VALUE_FORMATS.join(', --format ')}`,
  });
}

/**
 * Returns the values of a file by secret name. Nested maps become names with `/`. Messages contain nothing of the
 * values.
 *
 * @returns `empty`: names without a value, which no secret can have; a dotenv file may have them for programs
 * @throws DefinitionError with every problem of the file
 */
export function readValues(
  file: string,
  text: string,
  format: ValueFormat,
): { values: Map<string, string>; empty: readonly string[] } {
  const problems: Problem[] = [];
  const values = new Map<string, string>();
  const empty: string[] = [];
  const say = (place: { line: number; column?: number }, path: string, message: string, suggestion?: string) =>
    problems.push({ file, line: place.line, column: place.column ?? 1, path, message, ...(suggestion && { suggestion }) });
  const keep = (name: string, value: string, place: { line: number; column?: number }) => {
    try {
      checkSecretName(name);
    } catch (error) {
      if (!(error instanceof ProvisioningError)) throw error;
      return say(place, name.slice(0, 200), error.details.why);
    }
    if (values.has(name) || empty.includes(name)) return say(place, name, 'it is given twice');
    if (value === '' && format === 'dotenv') return void empty.push(name);
    if (value === '') return say(place, name, 'it is empty');
    values.set(name, value);
  };
  if (format === 'dotenv') {
    const { entries, faults } = readDotenv(text);
    for (const { line, message } of faults) say({ line }, '', message);
    for (const { name, value, line } of entries) keep(name, value, { line });
  } else {
    for (const found of textsIn(text, format))
      if ('fault' in found) say(found, found.path, found.fault, found.remedy);
      else keep(found.path, found.text, found);
  }
  if (values.size === 0 && problems.length === 0) say({ line: 1 }, '', 'it has no secrets');
  if (problems.length > 0) throw new DefinitionError(file, problems, 'secrets');
  return { values, empty };
}
