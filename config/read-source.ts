import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Findings } from './findings.js';
import { formats } from './formats.js';
import { inFileOrder, type Problem, pathText } from './problem.js';
import type { Source } from './source.js';

/**
 * Reads a file with the positions of what is in it, or says why it cannot be
 * read: no such file, a kind that is not known, nothing in it.
 *
 * @param example what to start from, for a file that is empty
 */
export async function readSource(path: string, example: string): Promise<Source | Problem> {
  const failed = (message: string, suggestion?: string): Problem => ({
    file: path,
    line: 1,
    column: 1,
    path: '',
    message,
    suggestion,
  });
  const read = formats[extname(path).toLowerCase()];
  if (!read) return failed(`cannot read a file of the kind "${extname(path)}"`, `known: ${Object.keys(formats).join(', ')}`);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return failed(code === 'ENOENT' ? 'there is no such file' : `the file cannot be read (${code})`);
  }
  return text.trim() === '' ? failed('the file is empty', example) : read(path, text);
}

/** Why a source that is no map of keys can be nothing of ours: what its format finds wrong, else just that. */
export function notAMap(source: Source, what: string): Problem[] {
  const other: Problem = { file: source.file, ...source.place([], 'value'), path: '', message: `${what} is a map of keys` };
  return source.faults.length > 0 ? problemsOf(source) : [other];
}

/** All that is wrong with a source, by its format and by what was found, in the order of the file. */
export function problemsOf(source: Source, findings?: Findings): Problem[] {
  const { file } = source;
  const found = (findings?.all ?? []).map(
    ({ path, at, message, suggestion }): Problem => ({
      file,
      ...source.place(path, at),
      path: pathText(path),
      message,
      ...(suggestion ? { suggestion } : {}),
    }),
  );
  return inFileOrder([...source.faults.map((fault): Problem => ({ file, path: '', ...fault })), ...found]);
}
