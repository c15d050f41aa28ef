import { extname } from 'node:path';
import { LIMITS } from '../../core/limits.js';
import { clipText } from '../../core/text.js';
import type { Findings } from './findings.js';
import { formats, isProgram } from './formats.js';
import { type Problem, pathText, sortProblems } from './problem.js';
import { readText } from './read-text.js';
import type { Source } from './source.js';

/**
 * Reads a file with the positions of its values, or returns the reason why it cannot be read: missing, of an unknown
 * kind, or empty.
 *
 * @param example suggested content for an empty file
 * @param within folder that must contain the file after its links are resolved
 */
export async function readSource(path: string, example: string, within?: string): Promise<Source | Problem> {
  const failed = (message: string, suggestion?: string): Problem => ({
    file: path,
    line: 1,
    column: 1,
    path: '',
    message,
    suggestion,
  });
  const kind = extname(path).toLowerCase();
  const read = Object.hasOwn(formats, kind) ? formats[kind] : undefined;
  const text = await readText(path, LIMITS.file, { within });
  if (typeof text !== 'string') {
    const { message, suggestion, line, column } = text;
    return { file: path, line, column, path: '', message, suggestion };
  }
  if (isProgram(path)) return failed('a definition cannot include a program', 'include YAML, TOML or JSON');
  if (!read) return failed(`cannot read a file of the kind "${clipText(kind)}"`, `known: ${Object.keys(formats).join(', ')}`);
  if (text.trim() === '') return failed('the file is empty', example);
  return { texts: [{ file: path, text }], ...(await read(path, text)), bytes: Buffer.byteLength(text) };
}

/** Problems of a source that is not a map: the faults of its format, otherwise only that. */
export function reportNotAMap(source: Source, what: string): Problem[] {
  const other: Problem = { file: source.file, ...source.place([], 'value'), path: '', message: `${what} is a map of keys` };
  return source.faults.length > 0 ? problemsOf(source) : [other];
}

/** All that is wrong with a source, by its format and by what was found, in the order of the file. */
export function problemsOf(source: Source, findings?: Pick<Findings, 'all'>): Problem[] {
  const { file } = source;
  const found = (findings?.all ?? []).map(({ path, at, message, suggestion }): Problem => {
    const { path: there = path, ...place } = source.place(path, at);
    const said = { path: clipText(pathText(there), 200), message: clipText(message, 500) };
    return { file, ...place, ...said, ...(suggestion ? { suggestion } : {}) };
  });
  const faults = source.faults.map(({ path: there = [], ...fault }): Problem => ({ file, ...fault, path: pathText(there) }));
  const all = sortProblems([...faults, ...found]);
  const rest = all.length - LIMITS.problems;
  const last = all[LIMITS.problems];
  return rest <= 0 || !last
    ? all
    : [...all.slice(0, LIMITS.problems), { ...last, path: '', message: `and ${rest} more problems`, suggestion: undefined }];
}
