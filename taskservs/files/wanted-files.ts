import { type FileContent, foldersOfTree, type OwnFile, type OwnFiles, type Text } from '../../sdk/index.js';
import type { Entry, FilesConfig } from './files-config.js';

/** The files of an entry. */
export function planFiles({ path, content, tree, values, mode, owner }: Entry): OwnFile[] {
  const all = content
    ? [[path, content] as const]
    : Object.entries(tree ?? {}).map(([below, one]) => [`${path}/${below}`, one] as const);
  return all.map(([path, one]) => ({
    path,
    ...(mode !== undefined && { mode }),
    ...(owner !== undefined && { owner }),
    ...(one.executable && { executable: true as const }),
    ...filled(one, values),
  }));
}

const foldersOf = ({ path, tree }: Entry): string[] => (tree === undefined ? [] : foldersOfTree(path, tree));

/** The files of all entries, and the folders of their trees. */
export const allWanted = ({ files }: FilesConfig): OwnFiles => ({
  files: Object.values(files).flatMap(planFiles),
  folders: [...new Set(Object.values(files).flatMap(foldersOf))].sort(),
});

function filled({ text, base64 }: FileContent, values: Entry['values']): Pick<OwnFile, 'content' | 'base64'> {
  if (text === undefined) return { content: base64 ?? '', base64: true };
  const names = Object.keys(values);
  if (names.length === 0) return { content: text };
  // With the names in parentheses the parts at odd places are names.
  const parts = text.split(new RegExp(`@(${names.join('|')})@`));
  const content = parts.map((part, index) => (index % 2 === 0 ? part : (values[part] as Exclude<Text, string>[number])));
  return { content: content.every((part) => typeof part === 'string') ? content.join('') : content.filter((part) => part !== '') };
}
