import { basename, join } from 'node:path';
import { unreachableError } from '../../core/errors.js';
import { resolveConfig } from '../../settings/layers/resolve.js';
import type { Engine } from '../engine.js';
import { homeOfEngine } from '../home-of-engine.js';
import type { BackupProgram, Watch } from './backup-program.js';

/** Paths of a backup outside the folder of backups: absolute, on the worker's machine. */
interface PathsAsked {
  file?: string | undefined;
  folder?: string | undefined;
}

/** Makes a backup in the folder of backups, or at a path. @throws as the program does */
export async function createBackup(
  engine: Engine,
  { logs = true, file, folder }: PathsAsked & { logs?: boolean | undefined },
  watch: Watch,
) {
  const [program, home] = [programOf(engine), await folderOf(engine)];
  return named(await program.create({ file, folder: folder ?? home, logs }, watch));
}

/** The backups in the folder of backups or in another one, the newest first. */
export async function listBackups(engine: Engine, { folder }: Pick<PathsAsked, 'folder'>) {
  const [program, home] = [programOf(engine), await folderOf(engine)];
  return (await program.list(folder ?? home)).map(named);
}

/**
 * Reads a complete backup and opens it with the keys of the home.
 *
 * @param asked a file in the folder of backups, or a path
 */
export async function verifyBackup(engine: Engine, asked: { name: string } | { file: string }, watch: Watch) {
  const [program, folder] = [programOf(engine), await folderOf(engine)];
  return named(await program.verify('file' in asked ? asked.file : join(folder, asked.name), watch));
}

/** Removes payloads that no history refers to. @param options `check` only counts them */
export const sweepBackups = async (
  engine: Engine,
  { check = false, graceHours }: { check?: boolean | undefined; graceHours?: number | undefined },
  watch: Watch,
) => programOf(engine).sweep({ check, graceHours }, watch);

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
