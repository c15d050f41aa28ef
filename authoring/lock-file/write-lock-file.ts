import { constants } from 'node:fs';
import { type FileHandle, lstat, open, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { inputError } from '../../core/errors.js';
import type { LockedInfra } from '../../core/schema/versions/lock-file.js';
import { isSameInfra, lockText } from '../../definition/lock-file/lock-text.js';
import { readLockFile } from '../../definition/lock-file/read-lock-file.js';
import { problemText } from '../../definition/source/problem.js';
import { reasonOf } from '../../definition/source/read-text.js';
import { replaceFile } from '../../settings/edit/write-file.js';
import type { LockEdit } from './lock-edit.js';

/** Mode bits that a data file may have. */
const DATA = 0o666;
/** Mode of the lock file if the definition is a symbolic link. */
const LINKED = 0o644;
/** Mode of the file until it gets its final mode. */
const PRIVATE = 0o600;

/** Returns whether a lock file currently has this entry for an infra. */
export async function lockSays({ file, infra }: LockEdit, wanted: LockedInfra): Promise<boolean> {
  const read = await readLockFile(file).catch(() => undefined);
  return read !== undefined && !('message' in read) && isSameInfra(read.infras[infra], wanted);
}

/**
 * Writes an infra's entry into the lock file atomically. Entries of other infras keep their current state. The file is
 * removed if no entry is left. A new file gets the owner and the mode of the definition; an existing file keeps both.
 *
 * The file is written only in the folder that the definition was read from. Otherwise root could write through a link
 * with which another user has replaced the file or the folder.
 *
 * @throws inputError `lock-file-not-written`
 */
export async function writeLockFile(edit: LockEdit, said: LockedInfra): Promise<void> {
  const read = await readLockFile(edit.file);
  if ('message' in read) throw notWritten(edit, problemText(read), 'put it in order, and run the command again');
  const text = lockText({ ...read.infras, [edit.infra]: said });
  const folder = await open(dirname(edit.file), constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const { dev, ino } = await folder.stat();
    const at = inside(folder, dirname(edit.file));
    const definition = await lstat(join(at, edit.definition)).catch(() => undefined);
    if (dev !== edit.folder.dev || ino !== edit.folder.ino || !definition)
      throw notWritten(edit, 'the folder of the definition is another one than when it was read', 'run the command again');
    const place = join(at, basename(edit.file));
    if (text === undefined) return await rm(place, { force: true });
    const former = await lstat(place).catch(() => undefined);
    const { uid, gid, mode } = former?.isFile() ? former : definition;
    // A link's own mode allows writing for everyone and does not reflect its target.
    const wanted = (mode & constants.S_IFMT) === constants.S_IFLNK ? LINKED : mode & DATA;
    // Only root can change the owner of a file.
    await replaceFile(place, text, PRIVATE, { mode: wanted, ...(process.geteuid?.() === 0 && { owner: { uid, gid } }) });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
      throw notWritten(
        edit,
        code === 'EROFS' ? 'the file system is read-only' : reasonOf(error).message.replace('read', 'write'),
        HINT,
      );
    throw error;
  } finally {
    await folder.close();
  }
}

const HINT = 'apply where it can be written and keep it with the definition, or write versions instead of constraints';

/**
 * Returns the path of an open folder, which stays valid if the folder is renamed. On other systems, returns its name.
 */
const inside = ({ fd }: FileHandle, path: string): string => (process.platform === 'linux' ? `/proc/self/fd/${fd}` : path);

const notWritten = ({ file }: LockEdit, why: string, hint: string) =>
  inputError({ code: 'lock-file-not-written', what: 'write the lock file', on: file, why, hint });
