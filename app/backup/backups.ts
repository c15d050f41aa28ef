import { basename, join } from 'node:path';
import { unreachableError } from '../../core/errors.js';
import { resolveConfig } from '../../settings/layers/resolve.js';
import type { Engine } from '../engine.js';
import { homeOfEngine } from '../home-of-engine.js';
import type { BackupProgram } from './backup-program.js';

/** Makes a backup in the folder of backups. @throws as the program does */
export async function createBackup(engine: Engine, { logs = true }: { logs?: boolean | undefined }) {
  const [program, folder] = [programOf(engine), await folderOf(engine)];
  return named(await program.create({ folder, logs }));
}

/** The backups in the folder of backups, the newest first. */
export async function listBackups(engine: Engine) {
  const [program, folder] = [programOf(engine), await folderOf(engine)];
  return (await program.list(folder)).map(named);
}

/** Reads a backup whole and opens it with the keys of the home. @param name of a file in the folder of backups */
export async function verifyBackup(engine: Engine, name: string) {
  const [program, folder] = [programOf(engine), await folderOf(engine)];
  return named(await program.verify(join(folder, name)));
}

/** Callers name files of this folder, and no other paths of the machine. */
async function folderOf(engine: Engine): Promise<string> {
  const { home, env } = homeOfEngine(engine);
  const { settled } = await resolveConfig({ home, env });
  return (settled.get('backup.folder')?.value as string | undefined) ?? home.backups;
}

const named = <T extends { file: string }>(backup: T): T & { name: string } => ({ ...backup, name: basename(backup.file) });

/** @throws unreachableError `no-worker` */
function programOf({ backups }: Engine): BackupProgram {
  if (backups) return backups;
  const why = 'no worker of this home runs, and the worker makes and reads backups for methods';
  throw unreachableError({ code: 'no-worker', what: 'open the backups', why, hint: 'provisioning up' });
}
