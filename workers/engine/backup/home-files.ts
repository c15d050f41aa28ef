import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home } from '../../../home/home.js';
import { settingsFile } from '../../../settings/settings.js';
import { createFile } from '../../../stores/files/durable.js';

/** Beside the stores and the database: settings, the marks of the engine's file. */
const SINGLE = ['settings.yaml', 'service.env', 'engine/temporal.version', 'engine/sealed'] as const;
/** Accounts of the demo provider. */
const DEMO = 'demo';
const DEMO_FILE = /^[a-z0-9][a-z0-9-]*\.json$/;

/**
 * The files below a home that are backed up as they are. What is behind a link is not: it has a path and no bytes.
 * Throws where one cannot be read.
 */
export async function* homeFiles(home: Home): AsyncGenerator<{ path: string; bytes?: Buffer }> {
  const demo = ((await readdir(home.demo).catch(ifThere)) ?? []).filter((name) => DEMO_FILE.test(name));
  for (const path of [...SINGLE, ...demo.map((name) => `${DEMO}/${name}`)]) {
    const found = await lstat(join(home.root, path)).catch(ifThere);
    if (found?.isFile()) yield { path, bytes: await readFile(join(home.root, path)) };
    else if (found) yield { path };
  }
}

function ifThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** Whether a backup may bring a file of this path. */
export const isHomeFile = (path: string): boolean =>
  (SINGLE as readonly string[]).includes(path) || (path.startsWith(`${DEMO}/`) && DEMO_FILE.test(path.slice(DEMO.length + 1)));

/** The path of the settings among them. */
export const SETTINGS_PATH = 'settings.yaml' satisfies (typeof SINGLE)[number];

/** Writes a file of a home unless it is there, mode 0600, on disk when it returns. */
export const writeHomeFile = async (home: Home, path: string, bytes: Uint8Array): Promise<void> =>
  void (await createFile(join(home.root, path), bytes));

/**
 * The settings of a backup as they are to be in another home: with another store, or with files in its place.
 *
 * @param store `files`, or the address of a team's store; undefined leaves the settings as they are
 */
export async function settingsWith(text: string, store: string | undefined): Promise<string> {
  if (store === undefined) return text;
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text);
  if (document.contents === null) document.contents = document.createNode({}) as never;
  // The file has the password of the former store.
  for (const name of ['store', 'storePasswordFile']) document.delete(name);
  if (store !== 'files') document.set('store', store);
  return document.toString();
}

/** Whether a home has settings of its own. */
export const hasSettings = async (home: Home): Promise<boolean> =>
  (await lstat(settingsFile(home)).catch(() => undefined)) !== undefined;
