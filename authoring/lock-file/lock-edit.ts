import { basename } from 'node:path';
import { structuredPatch } from 'diff';
import type { LockedInfra } from '../../core/schema/versions/lock-file.js';
import { isSameInfra, lockText } from '../../definition/lock-file/lock-text.js';
import { createLockEntries, type LockUse } from '../../definition/lock-file/lock-use.js';
import type { NotedVersion } from '../../definition/lock-file/locked-version.js';
import type { FolderId } from '../../definition/lock-file/read-lock-file.js';

/** Pending change of an infra's entry in a lock file. */
export interface LockEdit {
  file: string;
  infra: string;
  before: LockedInfra;
  after: LockedInfra;
  /** Lines of a unified diff without its header. Each begins with a blank, `+`, `-` or `@@`. */
  lines: string[];
  /** Identity of the folder when the definition was read, and the definition's name in it. */
  folder: FolderId;
  definition: string;
  /** The edit follows from the operation and needs no confirmation. */
  quiet?: true;
}

/**
 * Returns the change that an apply makes to the lock file, or undefined if there is no change.
 *
 * @param definition the path of the definition's file
 */
export function createLockEdit(lock: LockUse | undefined, definition: string): LockEdit | undefined {
  const edit = lock && changed(lock, definition, lock.after);
  return edit && { ...edit, quiet: true };
}

/**
 * Returns the change after an upgrade of one taskserv. Entries of other taskservs stay.
 *
 * @param noted the versions to which its constraints resolve then
 */
export async function lockEditOfUpgrade(
  lock: LockUse,
  definition: string,
  taskserv: string,
  noted: readonly NotedVersion[],
): Promise<LockEdit | undefined> {
  const { [taskserv]: _, ...others } = lock.file.infras[lock.infra] ?? {};
  return changed(lock, definition, { ...others, ...(await createLockEntries(noted, lock.hashesOf)) });
}

function changed({ file, infra }: LockUse, definition: string, after: LockedInfra): LockEdit | undefined {
  const before = file.infras[infra] ?? {};
  if (isSameInfra(before, after)) return undefined;
  const texts = [before, after].map((one) => lockText({ ...file.infras, [infra]: one }) ?? '');
  const { hunks } = structuredPatch('', '', texts[0] ?? '', texts[1] ?? '', undefined, undefined, { context: 1 });
  const lines = hunks.flatMap((hunk) => [`@@ -${hunk.oldStart} +${hunk.newStart} @@`, ...hunk.lines]);
  return { file: file.path, infra, before, after, lines, folder: file.folder, definition: basename(definition) };
}
