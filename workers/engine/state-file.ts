import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inputError } from '../../core/errors.js';
import type { Home } from '../../home/home.js';

/** Temporal's database of a home. */
export const stateFile = (home: Home): string => join(home.engine, 'temporal.db');
const markFile = (home: Home): string => join(home.engine, 'temporal.version');
const UNFINISHED = ' unfinished';

/**
 * Returns the server line that created the home's file (`1.31`); undefined without a file. The dev server applies its
 * schema only to a file that it creates, and never checks an existing one. So a mark is stored beside the file.
 *
 * @throws inputError for a file of unknown origin
 */
export async function lineOfState(home: Home): Promise<string | undefined> {
  const file = stateFile(home);
  const mark = existsSync(markFile(home)) ? (await readFile(markFile(home), 'utf8')).trim() : undefined;
  if (!existsSync(file)) return undefined;
  if (mark?.endsWith(UNFINISHED) || (await stat(file)).size === 0) {
    // Its first start never came to serve: nothing was ever stored in it, and its schema may be half made.
    await discard(file);
    return undefined;
  }
  if (!(await isSqlite(file))) throw wrongFile(home, 'it is no SQLite database');
  return lineIn(home, mark);
}

/**
 * Returns the server line that created the home's file, if a server has served from it. Undefined if the file is
 * missing or empty, or its first start never served. Changes nothing.
 *
 * @throws inputError `engine-file-version` for a file of unknown origin
 */
export async function describeServed(home: Home): Promise<string | undefined> {
  const size = await stat(stateFile(home)).then((found) => found.size, ifThere);
  if (!size) return undefined;
  const mark = (await readFile(markFile(home), 'utf8').catch(ifThere))?.trim();
  return mark?.endsWith(UNFINISHED) ? undefined : lineIn(home, mark);
}

function ifThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function lineIn(home: Home, mark: string | undefined): string {
  const line = /^server (\d+\.\d+)$/.exec(mark ?? '')?.[1];
  if (line) return line;
  throw wrongFile(
    home,
    mark === undefined ? 'its version mark "temporal.version" is missing' : `its version mark says "${mark.slice(0, 40)}"`,
  );
}

/** Notes, before the server creates the file, which line does. */
export async function markUnfinished(home: Home, line: string): Promise<void> {
  await mkdir(dirname(markFile(home)), { recursive: true });
  await writeFile(markFile(home), `server ${line}${UNFINISHED}\n`);
}

/** Notes that the server has served from the file. */
export const markFinished = (home: Home, line: string): Promise<void> => writeFile(markFile(home), `server ${line}\n`);

/** The error for a file that this binary's server cannot take over. */
export function wrongLine(home: Home, line: string, offered: string): Error {
  return wrongFile(
    home,
    `Temporal server ${line} wrote it, and this one is ${offered}`,
    `put a "temporal" with server ${line} first on PATH`,
  );
}

function wrongFile(home: Home, why: string, remedy?: string): Error {
  const file = stateFile(home);
  const aside = `or restore a backup, or set the old state aside: mv '${home.engine}' '${home.engine}.old' (operations and inventories are lost; keys, secrets and the identity of the set-up stay), then \`provisioning up\` and \`provisioning infra recover NAME\``;
  return inputError({
    code: 'engine-file-version',
    what: 'open the state of the engine',
    on: file,
    why,
    hint: remedy ? `${remedy}, ${aside}` : aside.slice(3),
  });
}

async function isSqlite(file: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    const { buffer } = await handle.read(Buffer.alloc(16), 0, 16, 0);
    return buffer.toString('latin1') === 'SQLite format 3\0';
  } finally {
    await handle.close();
  }
}

async function discard(file: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(file + suffix, { force: true });
}
