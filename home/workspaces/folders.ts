import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { WORKSPACE_FILES } from '../../core/names.js';

/** Returns the file that makes a folder a workspace; undefined if there is no such file. */
export function workspaceFileIn(folder: string): string | undefined {
  return WORKSPACE_FILES.map((name) => join(folder, name)).find((file) => existsSync(file));
}

/** Yields the folders with such a file, from this one upwards, the nearest first. */
export function* workspaceFoldersAbove(from: string): Generator<string> {
  for (let folder = from; ; folder = dirname(folder)) {
    if (workspaceFileIn(folder) !== undefined) yield folder;
    if (folder === dirname(folder)) return;
  }
}

/**
 * Reports whether the workspace file in a folder belongs to this user or to root. In a shared folder such as `/tmp` any
 * user may put one above the folders of others: such files are ignored.
 */
export function isOwn(folder: string): boolean {
  const me = process.getuid?.();
  const file = workspaceFileIn(folder);
  if (me === undefined || file === undefined) return true;
  try {
    return [0, me].includes(statSync(file).uid);
  } catch {
    return false;
  }
}
