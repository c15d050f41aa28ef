import { readdir, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { LIMITS, sizeText } from '../../core/limits.js';
import { type FileContent, IS_BELOW } from '../../core/schema/contents.js';
import { handleBeneath } from '../source/beneath.js';
import { isInside } from '../source/is-inside.js';
import { reasonOf } from '../source/read-text.js';
import { isWholeHome, WHOLE_HOME } from '../source/whole-home.js';

/** Why a file or a folder is not read, and a remedy where one is known. */
export class PathRefusal {
  constructor(
    readonly message: string,
    readonly suggestion?: string,
  ) {}
}

/** Folders that contents are taken from, and those that they are not. */
export interface ContentFolders {
  /** The folder of the workspace. */
  root: string;
  /** Folders of which nothing is read, whatever they lie in: the state of a home. */
  closed: readonly string[];
}

/** A file as it was read, and where. */
export interface ReadFile {
  file: string;
  content: FileContent;
}

const OUTSIDE = 'it is outside of the workspace';
const LARGER = 'what is larger is deployed as an archive: taskserv app';
/** Hidden names that people mean to publish. */
const SHOWN = new Set(['.well-known', '.htaccess']);

/** Reads a file that a definition names. @throws Refused */
export async function readFileBeside(path: string, beside: ContentFolders): Promise<ReadFile> {
  const file = await realPathOf(path, beside);
  return { file, content: await contentAt(file, beside.root) };
}

/** Reads all files of a folder that a definition names, by their paths in it. @throws Refused */
export async function readFolderBeside(path: string, beside: ContentFolders): Promise<Map<string, ReadFile>> {
  const folder = await realPathOf(path, beside);
  const files = new Map<string, ReadFile>();
  let bytes = 0;
  for (const name of await namesIn(folder)) {
    const at = join(folder, name);
    const real = await realPathOf(relative(await realpath(beside.root), at), beside).catch((error: unknown) => {
      throw error instanceof PathRefusal ? new PathRefusal(`${name}: ${error.message}`, error.suggestion) : error;
    });
    if (!IS_BELOW.test(name)) throw new PathRefusal(`${JSON.stringify(name)}: this name is not allowed`, 'rename it');
    const content = await contentAt(real, beside.root, name);
    bytes += (content.text ?? content.base64 ?? '').length;
    if (bytes > LIMITS.longTexts) throw new PathRefusal(`its files have more than ${sizeText(LIMITS.longTexts)}`, LARGER);
    files.set(name, { file: at, content });
  }
  if (files.size === 0) throw new PathRefusal('it has no files');
  return files;
}

/** The path with no link left in it. */
async function realPathOf(path: string, { root, closed }: ContentFolders): Promise<string> {
  if (path.includes('{{')) throw new PathRefusal('a path cannot contain expressions', 'write it without an expression');
  if (isAbsolute(path) || path.split(/[\\/]/).includes('..'))
    throw new PathRefusal(OUTSIDE, 'write its path relative to the workspace');
  const own = await realpath(root);
  if (await isWholeHome(own)) throw new PathRefusal(WHOLE_HOME);
  const real = await realpath(join(own, path)).catch((error: unknown) => {
    throw new PathRefusal(reasonOf(error).message);
  });
  if (!isInside(real, own)) throw new PathRefusal('it is a link that leads out of the workspace');
  const hidden = relative(own, real)
    .split(sep)
    .find((part) => part.startsWith('.') && !SHOWN.has(part));
  if (hidden !== undefined) throw new PathRefusal(`${hidden} is hidden; hidden files are not read`, 'move or delete it');
  for (const folder of closed) {
    if (isInside(real, await realpath(folder).catch(() => folder))) throw new PathRefusal('the platform keeps its own state there');
  }
  return real;
}

/** Paths of all files below a folder, sorted. */
async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    const { code, message } = reasonOf(error);
    throw new PathRefusal(
      code === 'ENOTDIR' ? 'it is not a folder' : message,
      code === 'ENOTDIR' ? '{ content-of: PATH }' : undefined,
    );
  });
  const names = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  if (names.length > LIMITS.treeFiles)
    throw new PathRefusal(`it has ${names.length} files, at most ${LIMITS.treeFiles} are allowed`, LARGER);
  return names.sort();
}

/** @param name name of a file of a folder, with which errors begin */
async function contentAt(file: string, root: string, name?: string): Promise<FileContent> {
  const refused = (message: string, suggestion?: string) => new PathRefusal(name ? `${name}: ${message}` : message, suggestion);
  // Opening a pipe would wait for a writer.
  const handle = await handleBeneath(root, file).catch((error: unknown) => {
    throw refused(reasonOf(error).message);
  });
  try {
    const found = await handle.stat();
    if (found.isDirectory()) throw refused('it is a folder', name ? 'a link to a folder is not followed' : '{ tree-of: PATH }');
    if (!found.isFile()) throw refused('it is not a regular file');
    if (found.size > LIMITS.longTexts)
      throw refused(`it has ${sizeText(found.size)}, at most ${sizeText(LIMITS.longTexts)} are read`, LARGER);
    const bytes = await handle.readFile();
    const executable = (found.mode & 0o100) !== 0 && { executable: true as const };
    return { ...textOrBytes(bytes), ...executable };
  } finally {
    await handle.close();
  }
}

function textOrBytes(bytes: Buffer): FileContent {
  const base64 = () => ({ base64: bytes.toString('base64') });
  if (bytes.includes(0)) return base64();
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return base64();
  }
}
