import type { Context } from '../../authoring/context.js';
import { DefinitionError } from '../../authoring/definition/definition-error.js';
import { languageFolders } from '../../authoring/definition/language-folders.js';
import { LIMITS } from '../../core/limits.js';
import { readNamed } from '../../definition/languages/read-named.js';
import { folderAround } from '../../definition/layers/workspace-folder.js';
import { problemText } from '../../definition/source/problem.js';
import { problemsOf } from '../../definition/source/read-source.js';
import { readBytes } from '../../definition/source/read-text.js';
import type { Source } from '../../definition/source/source.js';

/**
 * Reads a definition file as written, without its includes.
 *
 * @throws DefinitionError with the problem of its format
 */
export async function readWhole(context: Pick<Context, 'home' | 'env' | 'note'>, file: string): Promise<Source> {
  const folders = await languageFolders(context);
  const source = await readNamed(file, 'examples/quickstart.yaml is a definition to start from', { folders });
  if (Array.isArray(source)) throw new DefinitionError(file, source);
  if (source.faults.length > 0) throw new DefinitionError(file, problemsOf(source));
  for (const warning of source.warnings ?? []) context.note(`warning: ${problemText(warning)}`);
  return source;
}

/**
 * Reads the text of a definition with its byte order mark, to write it back.
 *
 * @throws DefinitionError if it cannot be read
 */
export async function textAsWritten(file: string): Promise<string> {
  const bytes = await readBytes(file, LIMITS.file, { within: await folderAround(file) });
  if (Buffer.isBuffer(bytes)) return bytes.toString('utf8');
  throw new DefinitionError(file, [{ ...bytes, file, path: '' }]);
}
