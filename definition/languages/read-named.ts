import { realpath } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { LIMITS } from '../../core/limits.js';
import { folderAround, workspaceFolder } from '../layers/workspace-folder.js';
import type { Problem } from '../source/problem.js';
import { readSource } from '../source/read-source.js';
import { readText } from '../source/read-text.js';
import type { Source } from '../source/source.js';
import { type Evaluate, type EvaluationInput, problemIn } from './evaluation.js';

/** How programs are evaluated, by the ending of their file. Another language joins as a line here. */
const languages: Readonly<Record<string, () => Promise<Evaluate>>> = {
  '.ts': async () => (await import('./typescript/evaluate-typescript.js')).evaluateTypescript,
  '.k': async () => (await import('./kcl/evaluate-kcl.js')).evaluateKcl,
  '.ncl': async () => (await import('./nickel/evaluate-nickel.js')).evaluateNickel,
};

/**
 * Reads a file that the user named: data, or a program, which is evaluated. `readSource` reads the files to which it
 * leads and evaluates nothing, so a program runs only if its user named it.
 *
 * @param example suggested content for an empty file
 */
export async function readNamed(path: string, example: string, given: EvaluationInput = {}): Promise<Source | Problem[]> {
  const kind = extname(path).toLowerCase();
  const within = await folderAround(path);
  const language = Object.hasOwn(languages, kind) ? languages[kind] : undefined;
  if (!language) {
    const source = await readSource(path, example, within);
    return 'message' in source ? [source] : source;
  }
  const text = await readText(path, LIMITS.file, { within });
  if (typeof text !== 'string') return [problemIn(path, text.message, text, text.suggestion)];
  if (text.trim() === '') return [problemIn(path, 'the file is empty', {}, example)];
  const root = await realpath((await workspaceFolder(path)).folder).catch(() => dirname(resolve(path)));
  const evaluate = await language();
  const source = await evaluate({ file: path, text, root, given });
  return Array.isArray(source) ? source : { texts: [{ file: path, text }], ...source, bytes: Buffer.byteLength(text) };
}
