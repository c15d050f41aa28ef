import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import * as z from 'zod';
import { inputError, type ProvisioningError } from '../../core/errors.js';
import { handleBeneath } from '../../definition/source/beneath.js';
import { isWholeHome, WHOLE_HOME } from '../../definition/source/whole-home.js';
import { ALLOWED_FILES, isAllowed } from './allowed.js';
import type { GivenKind, GivenPlace } from './given-kind.js';

/** Maximum size of a file, in bytes. */
const MOST_BYTES = 1024 * 1024;
const error = 'write the path of a file, relative to the workspace';

const refused = (path: string, why: string, hint?: string): ProvisioningError =>
  inputError({ code: 'given-refused', what: 'read the file', on: path, why, ...(hint && { hint }) });

/**
 * `{ file: PATH }`: a file beside the definition, without its final line break. The user must list files outside of
 * the workspace and hidden files (`.ssh`, `.git`, `.env`): a third party's definition must not read them.
 */
export const fileReference: GivenKind<{ file: string }> = {
  form: '{ file: PATH }',
  keys: ['file'],
  shape: z.strictObject({
    file: z
      .string({ error })
      .min(1, { error })
      .max(1_000, { error })
      .regex(/^\P{Cc}+$/u, { error }),
  }),
  async read({ file }, place) {
    const path = await resolveAllowedPath(file, place);
    return textAt(path, file, isInside(path, await realpath(place.root)) ? place.root : dirname(path));
  },
};

/**
 * Resolves all links of a path.
 *
 * @throws inputError `given-refused`
 */
export async function resolveAllowedPath(file: string, { context: { env, home }, root }: GivenPlace): Promise<string> {
  const named = resolve(root, file);
  const hint = `${ALLOWED_FILES}=${named}, comma-separated`;
  const found = await realpath(named).catch(() => undefined);
  const own = await realpath(root);
  const state = await realpath(home.root).catch(() => home.root);
  if (found !== undefined && isInside(found, state)) throw refused(file, 'the platform keeps its own state there');
  if (isAllowed(env, ALLOWED_FILES, named)) {
    if (found !== undefined) return found;
    throw refused(file, 'the file does not exist');
  }
  // Also if the file does not exist: a definition must not learn which files exist outside.
  if (isAbsolute(file) || !isInside(named, root)) throw refused(file, 'it is outside of the workspace', hint);
  if (await isWholeHome(own)) throw refused(file, WHOLE_HOME, hint);
  if (found === undefined) throw refused(file, 'the file does not exist');
  if (!isInside(found, own)) throw refused(file, 'it is a link that leads out of the workspace', hint);
  if (
    relative(own, found)
      .split(sep)
      .some((part) => part.startsWith('.'))
  )
    throw refused(file, 'it is hidden', hint);
  return found;
}

const isInside = (path: string, folder: string): boolean => {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
};

async function textAt(path: string, named: string, within: string): Promise<string> {
  // Opening a pipe would block until a writer opens it too.
  const handle = await handleBeneath(within, path).catch((thrown) => {
    throw refused(named, (thrown as NodeJS.ErrnoException).code === 'EACCES' ? 'it may not be read' : 'it cannot be opened');
  });
  try {
    const { size } = await handle
      .stat()
      .then((found) => (found.isFile() ? found : Promise.reject(refused(named, 'it is not a regular file'))));
    if (size > MOST_BYTES) throw refused(named, 'it is larger than 1 MiB');
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await handle.readFile()).replace(/\r?\n$/, '');
    if (text === '') throw refused(named, 'it is empty');
    return text;
  } catch (thrown) {
    if (thrown instanceof TypeError) throw refused(named, 'it is not a text file');
    throw thrown;
  } finally {
    await handle.close();
  }
}
