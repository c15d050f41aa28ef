import { sha256 } from '../../encoding/sha256.js';
import type { FoundFile } from '../../host/facts.js';
import type { FileContent } from '../../schema/contents.js';
import { formatMode } from '../plans.js';
import type { Text } from '../secret.js';

/** A wanted file of a definition on the host. */
export interface OwnFile {
  path: string;
  content: Text;
  /** The content is base64 of what is no text. */
  base64?: true;
  /** Octal, four digits. Without it a file that is there keeps its own, and a new one gets `0644`. */
  mode?: string;
  /** Readers may execute it. */
  executable?: true;
  /** `user:group`. Without it a file that is there keeps its own, and a new one is root's. */
  owner?: string;
}

/** Returns the mode and owner of a file, from the wanted ones and those of the present file. */
export function rightsOf({ mode, owner, executable }: OwnFile, there: FoundFile): { mode: string; owner: string } {
  const own = mode ?? (there.exists ? formatMode(there) : '0644');
  return {
    mode: executable ? own.replace(/[4-7]/g, (digit) => String(Number(digit) | 1)) : own,
    owner: owner ?? (there.exists ? there.owner : 'root:root'),
  };
}

/** Files, and the folders of trees that are made for them, the outer ones first. */
export interface OwnFiles {
  files: readonly OwnFile[];
  folders: readonly string[];
}

/** The folders that the files of a tree at `path` need, that one included, the outer ones first. */
export function foldersOfTree(path: string, tree: Readonly<Record<string, unknown>>): string[] {
  const folders = new Set([path]);
  for (const below of Object.keys(tree)) {
    const parts = below.split('/').slice(0, -1);
    parts.forEach((_, index) => void folders.add(`${path}/${parts.slice(0, index + 1).join('/')}`));
  }
  return [...folders].sort();
}

/** The files of a tree at `path`, for everybody to read and for root to change. */
export const treeAt = (path: string, tree: Readonly<Record<string, FileContent>>): OwnFiles => ({
  files: Object.entries(tree).map(([below, { text, base64 = '', executable }]) => ({
    path: `${path}/${below}`,
    mode: executable ? '0755' : '0644',
    owner: 'root:root',
    ...(text === undefined ? { content: base64, base64: true } : { content: text }),
  })),
  folders: foldersOfTree(path, tree),
});

/** The hash of what base64 stands for, as `sha256sum` prints it. */
export const sha256OfBase64 = (base64: string): string => sha256(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
