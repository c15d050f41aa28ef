import { existsSync } from 'node:fs';
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inputError, ProvisioningError } from '../../../core/errors.js';
import type { Home } from '../../../home/home.js';
import { SETTINGS_FILES } from '../../../settings/settings.js';

/** A home with this file is not whole. */
const RESTORING = 'restoring';
export const RESTORE_LOCK = 'restore.lock';
const OPERATORS = new Set(['encryption', ...SETTINGS_FILES, 'service.env', RESTORING]);

/** Whether a home may have this file before a restore: files of its operator, and the marks of a restore. */
const mayBeThere = (name: string): boolean => OPERATORS.has(name) || name.startsWith(RESTORE_LOCK);

/** @throws inputError `home-not-empty` if a home has data that no restore has written, by its mark */
export async function refuseLiving(home: Home): Promise<void> {
  if (!(await isRestoring(home))) await refuseOthers(home);
}

async function refuseOthers(home: Home): Promise<void> {
  const found = await readdir(home.root).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const other = found.find((name) => !mayBeThere(name));
  if (other) throw createInUseError(home, `it has "${other}", and a home in use cannot be overwritten`);
}

/** Creates the error for a home in use. */
export const createInUseError = (home: Home, why: string): ProvisioningError =>
  inputError({ ...FULL_HOME, code: HOME_NOT_EMPTY, on: home.root, why });

/** Whether a restore ended because the home is in use: its data may belong to another process. */
export const isInUse = (error: unknown): boolean => error instanceof ProvisioningError && error.details.code === HOME_NOT_EMPTY;

const HOME_NOT_EMPTY = 'home-not-empty';
export const FULL_HOME = { what: 'restore the backup', hint: 'choose an empty home with --to, or remove its data' };

/**
 * Marks a home as one that is being restored. Removes the data of a killed restore.
 *
 * @param settings whether the settings come from the backup too
 * @throws inputError `home-not-empty` if another process has written to the home since
 */
export async function beginRestore(home: Home, settings: boolean): Promise<void> {
  await removeBegun(home);
  await refuseOthers(home);
  const mark = await open(join(home.root, RESTORING), 'w', 0o600);
  try {
    await mark.writeFile(JSON.stringify({ settings }));
    await mark.sync();
  } finally {
    await mark.close();
  }
  await synced(home.root);
  // If an `up` began just now, it sees the mark (`refuseUnrestored` under its lock), or this process sees its files,
  // or both.
  await refuseOthers(home).catch(async (error) => {
    await rm(join(home.root, RESTORING));
    throw error;
  });
}

export async function endRestore(home: Home): Promise<void> {
  for (const folder of [home.engine, home.root]) if (existsSync(folder)) await synced(folder);
  await rm(join(home.root, RESTORING));
  await synced(home.root);
}

/** Removes the data of an unfinished restore; a home without the mark stays unchanged. */
export async function abandonRestore(home: Home): Promise<void> {
  await removeBegun(home);
  await rm(join(home.root, RESTORING), { force: true });
}

/** Whether a home has a complete mark of a restore. Without it nothing is ever removed. */
const isRestoring = async (home: Home): Promise<boolean> => (await markIn(home)) !== undefined;

/** Returns the mark. A file of the same name with other content is not a mark. */
async function markIn(home: Home): Promise<string | undefined> {
  const text = await readFile(join(home.root, RESTORING), 'utf8').catch(() => '');
  return [true, false].map((settings) => JSON.stringify({ settings })).find((mark) => mark === text);
}

async function removeBegun(home: Home): Promise<void> {
  const mark = await markIn(home);
  if (mark === undefined) return;
  const settings = mark.includes('true') ? SETTINGS_FILES : [];
  for (const name of await readdir(home.root))
    if (settings.includes(name) || !mayBeThere(name)) await rm(join(home.root, name), { recursive: true });
}

/**
 * Sees that a home is whole before anything starts in it: an engine would begin with an empty database.
 *
 * @throws inputError `restore-unfinished`
 */
export function refuseUnrestored(home: Home): void {
  if (!existsSync(join(home.root, RESTORING))) return;
  throw inputError({
    code: 'restore-unfinished',
    what: 'start the engine',
    on: home.root,
    why: 'an earlier restore did not finish',
    hint: 'run the same `provisioning backup restore` again',
  });
}

async function synced(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}
