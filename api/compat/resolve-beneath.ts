import { realpath, stat } from 'node:fs/promises';
import { extname, isAbsolute, relative, resolve } from 'node:path';
import { inputError } from '../../core/errors.js';
import { clipText } from '../../core/text.js';

/** Formats that are data: a definition that is a program would run on this machine. */
const FORMATS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json', '.toml']);

/**
 * Returns the real path of a definition that a request names, below a folder. The target of a link counts, not the
 * link.
 *
 * @param root a real path
 * @throws inputError `outside-root`; missing files and files outside get the same answer
 */
export async function resolveBeneath(root: string, path: string): Promise<string> {
  const refuse = (why: string) => inputError({ code: 'outside-root', what: 'read the settings', on: clipText(path), why });
  if (path.includes('\0')) throw refuse('it is not a path');
  if (!FORMATS.has(extname(path).toLowerCase())) throw refuse('only YAML, JSON and TOML are read');
  const found = await realpath(resolve(root, path)).catch(() => undefined);
  const from = found === undefined ? '..' : relative(root, found);
  const isBeneath = found !== undefined && from !== '' && from !== '..' && !from.startsWith('../') && !isAbsolute(from);
  if (!isBeneath || !(await stat(found)).isFile() || !FORMATS.has(extname(found).toLowerCase()))
    throw refuse('the folder of --compat-root has no such file');
  return found;
}
