import type * as z from 'zod';
import { LIMITS } from '../../core/limits.js';
import { isSecretRef } from '../../core/taskserv/secret.js';
import { didYouMean } from './did-you-mean.js';
import { type Path, pathText } from './problem.js';
import { keysAt } from './schema-keys.js';

/** Fault of a schema, in the platform's words. */
export interface Complaint {
  path: Path;
  /** Whether the key or the value is at fault. */
  at: 'key' | 'value';
  message: string;
  suggestion?: string;
}

type Issue = z.core.$ZodIssue;

const WORDS: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
  null: 'nothing',
  undefined: 'nothing',
};

/**
 * All that a schema has against a value. Names types but never repeats
 * a value, which could be a secret; a choice from a fixed list is the exception.
 */
export function complaints(schema: z.ZodType, value: unknown): Complaint[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  const all = result.error.issues.slice(0, LIMITS.problems).flatMap((issue) => complain(schema, value, issue, []));
  const misspelt = all.flatMap(
    ({ path, suggestion }) =>
      /^did you mean "(.*)"/
        .exec(suggestion ?? '')
        ?.slice(1, 2)
        .map((key) => pathText([...path.slice(0, -1), key])) ?? [],
  );
  return all.filter(({ path, message }) => !(message.endsWith('is missing') && misspelt.includes(pathText(path))));
}

function complain(schema: z.ZodType, whole: unknown, issue: Issue, above: Path): Complaint[] {
  const path = [...above, ...(issue.path as (string | number)[])];
  const value = valueAt(whole, path);
  const custom = /^(Invalid|Unrecognized|Too) /.test(issue.message) ? undefined : issue.message;
  if (issue.code === 'unrecognized_keys' && custom === undefined) {
    const known = keysAt(schema, path);
    return issue.keys.slice(0, LIMITS.problems).map((key) => ({
      path: [...path, key],
      at: 'key',
      message: `unknown key "${key}"`,
      suggestion: didYouMean(key, known),
    }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const branch = likeliest(issue.errors, value);
    if (branch) return branch.flatMap((inner) => complain(schema, whole, inner, path));
    if (custom === undefined) return [{ path, at: 'value', ...wrongType(issue.errors.flat(), value) }];
  }
  if (value === undefined && path.length > 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value')) {
    return [{ path, at: 'key', message: `"${path.at(-1)}" is missing` }];
  }
  if (custom !== undefined) return [{ path, at: 'value', message: custom }];
  if (issue.code === 'invalid_type') return [{ path, at: 'value', ...wrongType([issue], value) }];
  if (issue.code === 'invalid_value') {
    const known = issue.values.map(String);
    if (typeof value !== 'string') return [{ path, at: 'value', ...wrongType([issue], value) }];
    return [{ path, at: 'value', message: `expected ${oneOf(known)}, got "${value}"`, suggestion: didYouMean(value, known) }];
  }
  return [{ path, at: 'value', message: plain(issue) }];
}

/** The branch of a union that the value was meant for: the one whose type it has. */
function likeliest(branches: readonly Issue[][], value: unknown): readonly Issue[] | undefined {
  const fitting = branches.filter((issues) => !issues.some((issue) => issue.path.length === 0 && isTypeIssue(issue)));
  const missing = (issues: readonly Issue[]): number =>
    issues.filter((issue) => issue.code === 'unrecognized_keys' || valueAt(value, issue.path as Path) === undefined).length;
  return fitting.sort((a, b) => missing(a) - missing(b) || a.length - b.length)[0];
}

const isTypeIssue = (issue: Issue): boolean =>
  issue.code === 'invalid_type' ||
  issue.code === 'invalid_value' ||
  (issue.code === 'invalid_union' && issue.errors.every((inner) => inner.some((one) => one.path.length === 0 && isTypeIssue(one))));

function wrongType(issues: readonly Issue[], value: unknown): Pick<Complaint, 'message' | 'suggestion'> {
  const expected = issues.flatMap((issue): string[] => {
    if (issue.code === 'invalid_type') return [WORDS[issue.expected] ?? issue.expected];
    if (issue.code === 'invalid_value') return [oneOf(issue.values.map(String))];
    return issue.code === 'invalid_union' ? issue.errors.flat().map((inner) => wrongType([inner], value).message) : [];
  });
  const texts = [...new Set(expected.map((text) => text.replace(/^expected (.*), got .*$/, '$1')))];
  return { message: `expected ${texts.join(' or ')}, got ${kindOf(value)}` };
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (isSecretRef(value)) return 'a secret';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' && !Number.isFinite(value)) return 'no finite number';
  if (typeof value === 'number' && !Number.isInteger(value)) return 'a fraction';
  return WORDS[typeof value] ?? typeof value;
}

function plain(issue: Issue): string {
  if (issue.code === 'too_small' || issue.code === 'too_big') {
    const bound = issue.code === 'too_small' ? issue.minimum : issue.maximum;
    const word = issue.code === 'too_small' ? 'at least' : 'at most';
    const unit = issue.origin === 'string' ? ' characters' : issue.origin === 'array' ? ' entries' : '';
    return `expected ${word} ${bound}${unit}`;
  }
  if (issue.code === 'invalid_key' || issue.code === 'invalid_element') {
    return issue.issues.map((inner) => inner.message).join(', ') || `wrong at ${pathText(issue.path as Path)}`;
  }
  return issue.message;
}

const oneOf = (values: string[]): string =>
  values.length === 1 ? `"${values[0]}"` : `one of ${values.map((item) => `"${item}"`).join(', ')}`;

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inside, key) =>
      typeof inside === 'object' && inside !== null ? (inside as Record<string | number, unknown>)[key] : undefined,
    value,
  );
}
