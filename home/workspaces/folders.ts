import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { WORKSPACE_FILES } from '../../core/names.js';

/** The file that makes a folder a workspace; undefined where there is none. */
export function workspaceFileIn(folder: string): string | undefined {
  return WORKSPACE_FILES.map((name) => join(folder, name)).find((file) => existsSync(file));
}

/** Folders with such a file, from this one upwards, the nearest first. */
export function* workspaceFoldersAbove(from: string): Generator<string> {
  for (let folder = from; ; folder = dirname(folder)) {
    if (workspaceFileIn(folder) !== undefined) yield folder;
    if (folder === dirname(folder)) return;
  }
}

/**
 * Whether the file in a folder was put there by this user or by root. In a folder such as `/tmp` anybody may put
 * one above the folders of others: those are passed over.
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
