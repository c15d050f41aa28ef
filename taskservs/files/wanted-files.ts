import { type FileContent, sha256, type Text } from '../../sdk/index.js';
import type { Entry, FilesConfig } from './files-config.js';

/** A file as it is to be on the host. */
export interface Wanted {
  path: string;
  content: Text;
  base64?: true;
  mode: string;
  owner: string;
}

/** The files of an entry. */
export function wantedOf({ path, content, tree, values, mode, owner }: Entry): Wanted[] {
  if (content) return [{ path, mode: modeOf(mode, content), owner, ...filled(content, values) }];
  return Object.entries(tree ?? {}).map(([below, one]) => ({
    path: `${path}/${below}`,
    mode: modeOf(mode, one),
    owner,
    ...filled(one, values),
  }));
}

/** The folders that an entry of a tree makes, the outer ones first. */
export function foldersOf({ path, tree }: Entry): string[] {
  if (tree === undefined) return [];
  const folders = new Set([path]);
  for (const below of Object.keys(tree)) {
    const parts = below.split('/').slice(0, -1);
    parts.forEach((_, index) => void folders.add(`${path}/${parts.slice(0, index + 1).join('/')}`));
  }
  return [...folders].sort();
}

export const allWanted = ({ files }: FilesConfig): Wanted[] => Object.values(files).flatMap(wantedOf);
export const allFolders = ({ files }: FilesConfig): string[] => [...new Set(Object.values(files).flatMap(foldersOf))].sort();

/** Whoever may read what can be run may run it. */
const modeOf = (mode: string, { executable }: FileContent): string =>
  executable ? mode.replace(/[4-7]/g, (digit) => String(Number(digit) | 1)) : mode;

function filled({ text, base64 }: FileContent, values: Entry['values']): Pick<Wanted, 'content' | 'base64'> {
  if (text === undefined) return { content: base64 ?? '', base64: true };
  const names = Object.keys(values);
  if (names.length === 0) return { content: text };
  // With the names in parentheses the parts at odd places are names.
  const parts = text.split(new RegExp(`@(${names.join('|')})@`));
  const content = parts.map((part, index) => (index % 2 === 0 ? part : (values[part] as Exclude<Text, string>[number])));
  return { content: content.every((part) => typeof part === 'string') ? content.join('') : content.filter((part) => part !== '') };
}

/** The hash of what base64 stands for, as `sha256sum` prints it. */
export const sha256Of = (base64: string): string => sha256(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
