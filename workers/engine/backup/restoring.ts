import { existsSync } from 'node:fs';
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inputError } from '../../../core/errors.js';
import type { Home } from '../../../home/home.js';

/** A home with this file is not whole. */
const RESTORING = 'restoring';
export const RESTORE_LOCK = 'restore.lock';
const OPERATORS = new Set(['encryption', 'settings.yaml', 'service.env', RESTORING]);

/** Whether a home may have this before something is restored into it: what its operator put there, and our own marks. */
export const mayBeThere = (name: string): boolean => OPERATORS.has(name) || name.startsWith(RESTORE_LOCK);

/**
 * Marks a home as one that is being restored; what a killed restore had begun in it goes.
 *
 * @param settings whether the settings are the backup's, too
 */
export async function beginRestore(home: Home, settings: boolean): Promise<void> {
  await removeBegun(home);
  const mark = await open(join(home.root, RESTORING), 'w', 0o600);
  try {
    await mark.writeFile(JSON.stringify({ settings }));
    await mark.sync();
  } finally {
    await mark.close();
  }
  await synced(home.root);
}

export async function endRestore(home: Home): Promise<void> {
  for (const folder of [home.engine, home.root]) if (existsSync(folder)) await synced(folder);
  await rm(join(home.root, RESTORING));
  await synced(home.root);
}

/** Takes away what a restore had begun; a home without the mark is left as it is. */
export async function abandonRestore(home: Home): Promise<void> {
  await removeBegun(home);
  await rm(join(home.root, RESTORING), { force: true });
}

/** Whether a home has the mark of a restore, whole: by it alone is anything taken away. */
export const isRestoring = async (home: Home): Promise<boolean> => (await markIn(home)) !== undefined;

/** A file of the same name that somebody else made is none. */
async function markIn(home: Home): Promise<string | undefined> {
  const text = await readFile(join(home.root, RESTORING), 'utf8').catch(() => '');
  return [true, false].map((settings) => JSON.stringify({ settings })).find((mark) => mark === text);
}

async function removeBegun(home: Home): Promise<void> {
  const mark = await markIn(home);
  if (mark === undefined) return;
  const settings = mark.includes('true') ? 'settings.yaml' : undefined;
  for (const name of await readdir(home.root))
    if (name === settings || !mayBeThere(name)) await rm(join(home.root, name), { recursive: true });
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
    why: 'a backup was not restored to its end',
    hint: 'run the same `provisioning backup restore` again',
  });
}

async function synced(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}
