import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFile } from '../../../home/durable.js';
import type { Home } from '../../../home/home.js';
import { editStore, SETTINGS_FILES, settingsFile } from '../../../settings/settings.js';

/** The age keys of the home, which open SOPS files. Like every secret, they are sealed in the archive. */
const AGE_KEYS = 'age/keys.txt';

/** Files in addition to the stores and the database: settings, the marks of the engine's file. */
const SINGLE: readonly string[] = [...SETTINGS_FILES, 'service.env', AGE_KEYS, 'engine/temporal.version', 'engine/sealed'];
/** Accounts of the demo provider. */
const DEMO = 'demo';
const DEMO_FILE = /^[a-z0-9][a-z0-9-]*\.json$/;

/**
 * Yields the files below a home that are backed up unchanged. A link has a path and no bytes: its target is not backed
 * up. Throws if a file cannot be read.
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
  SINGLE.includes(path) || (path.startsWith(`${DEMO}/`) && DEMO_FILE.test(path.slice(DEMO.length + 1)));

/** Whether a file of a backup has its settings. */
export const isSettingsFile = (path: string | undefined): path is string => path !== undefined && SETTINGS_FILES.includes(path);

/** Settings file of a home without settings. */
export const NEW_SETTINGS = 'config.yaml';

/** Writes a file of a home unless it is there, mode 0600, on disk when it returns. */
export const writeHomeFile = async (home: Home, path: string, bytes: Uint8Array): Promise<void> =>
  void (await createFile(join(home.root, path), bytes));

/**
 * Returns the settings of a backup for another home: with another store, or with files instead.
 *
 * @param store `files`, or the address of a team's store; undefined leaves the settings unchanged
 */
export const settingsWith = async (path: string, text: string, store: string | undefined): Promise<string> =>
  store === undefined ? text : editStore(path, text, store === 'files' ? undefined : store);

/** Whether a home has settings of its own. */
export const hasSettings = async (home: Home): Promise<boolean> =>
  (await lstat(settingsFile(home)).catch(() => undefined)) !== undefined;
