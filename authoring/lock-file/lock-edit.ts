import { basename } from 'node:path';
import { structuredPatch } from 'diff';
import type { LockedInfra } from '../../core/schema/versions/lock-file.js';
import { isSameInfra, lockText } from '../../definition/lock-file/lock-text.js';
import { createLockEntries, type LockUse } from '../../definition/lock-file/lock-use.js';
import type { NotedVersion } from '../../definition/lock-file/locked-version.js';
import type { FolderId } from '../../definition/lock-file/read-lock-file.js';

/** What a lock file says of an infra, and what it is to say. */
export interface LockEdit {
  file: string;
  infra: string;
  before: LockedInfra;
  after: LockedInfra;
  /** What differs, as of a unified diff without the head: each begins with a blank, `+`, `-`, or `@@`. */
  lines: string[];
  /** The folder as it was when the definition was read, and the name of the definition in it. */
  folder: FolderId;
  definition: string;
  /** It follows from what is done, and nobody is asked about it. */
  quiet?: true;
}

/** What an apply of a definition writes into its lock file; undefined where that says it already. @param definition the path of its file */
export function createLockEdit(lock: LockUse | undefined, definition: string): LockEdit | undefined {
  const edit = lock && changed(lock, definition, lock.after);
  return edit && { ...edit, quiet: true };
}

/**
 * What it is to say after an upgrade of one taskserv; entries of others stay as they are.
 *
 * @param noted what its constraints come to then
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
