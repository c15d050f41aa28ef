import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, stat } from 'node:fs/promises';
import { sizeText } from '../../core/limits.js';
import { handleBeneath, PathEscape } from './beneath.js';

/** A file that cannot be read as text: the reason, the line, and a suggestion. */
export interface Unreadable {
  /** Code of the operating system's error. */
  code?: string;
  message: string;
  suggestion?: string;
  line: number;
  column: number;
}

const unreadable = (message: string, suggestion?: string, line = 1, column = 1): Unreadable => ({
  message,
  ...(suggestion ? { suggestion } : {}),
  line,
  column,
});

const REASONS: Readonly<Record<string, [message: string, suggestion?: string]>> = {
  ENOENT: ['the file does not exist'],
  EACCES: ['this user may not read it', 'look at the modes of the file and of the folders above it'],
  EPERM: ['this user may not read it', 'look at the modes of the file and of the folders above it'],
  EISDIR: ['it is a directory', 'use the path of a file in it'],
  ENOTDIR: ['something in its path is no directory'],
  ELOOP: ['its symbolic links lead in a circle'],
  ENAMETOOLONG: ['its name is too long for this machine'],
  ENXIO: ['it is a socket', 'name a regular file'],
  EMFILE: ['too many files are open', 'raise the limit of open files (`ulimit -n`)'],
  EIO: ['the disk reports an error', 'look at the log of the kernel (`dmesg`)'],
};

/** Why a file cannot be opened, read or written, in our words. */
export function reasonOf(error: unknown): Unreadable {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  const [message, suggestion] = REASONS[code] ?? [`it cannot be read (${code})`];
  return { code, ...unreadable(message, suggestion) };
}

/**
 * Reads a regular UTF-8 file up to a size. Never waits for a writer: a FIFO, a socket and a device are refused, even
 * if they replace the file during the read.
 *
 * @param most maximum size in bytes
 * @param links follow a symbolic link in its place
 * @param within folder that must contain the file, after all links are followed
 */
export async function readText(path: string, most: number, options?: Reading): Promise<string | Unreadable> {
  const bytes = await readBytes(path, most, options);
  return Buffer.isBuffer(bytes) ? textOf(bytes) : bytes;
}

interface Reading {
  links?: boolean;
  within?: string | undefined;
}

/** Reads a regular file of any bytes in the same way. */
export async function readBytes(path: string, most: number, { links = true, within }: Reading = {}): Promise<Buffer | Unreadable> {
  let file: FileHandle | undefined;
  try {
    const before = kindOf(await (links ? stat : lstat)(path));
    if (before) return before;
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | (links ? 0 : constants.O_NOFOLLOW);
    file = await (within === undefined ? open(path, flags) : handleBeneath(within, path));
    const found = await file.stat();
    const other = kindOf(found);
    if (other) return other;
    if (found.size > most) return tooLarge(sizeText(found.size), most);
    const bytes = await readAtMost(file, most + 1, found.size);
    return bytes.length > most ? tooLarge(`more than ${sizeText(most)}`, most) : bytes;
  } catch (error) {
    return error instanceof PathEscape ? unreadable(LINK_OUT, 'put the file itself there') : reasonOf(error);
  } finally {
    await file?.close().catch(() => {});
  }
}

/** Reason why a file outside of the workspace is not read. */
const LINK_OUT = 'it is a link that leads out of the workspace';

const tooLarge = (size: string, most: number): Unreadable =>
  unreadable(`the file has ${size}, at most ${sizeText(most)} are read`, 'divide it, or take large texts out of it');

function kindOf(found: Stats): Unreadable | undefined {
  if (found.isFile()) return undefined;
  if (found.isDirectory()) return unreadable('it is a directory', 'use the path of a file in it');
  const what = found.isFIFO() ? 'a FIFO' : found.isSocket() ? 'a socket' : 'a device';
  return unreadable(`it is ${what}`, 'name a regular file');
}

/** @param size bytes that it had a moment ago: buffers of the largest size that is allowed keep the garbage collector busy */
async function readAtMost(file: FileHandle, most: number, size: number): Promise<Buffer> {
  let buffer = Buffer.allocUnsafe(Math.min(size + 1, most));
  let length = 0;
  while (length < most) {
    // The file grew during the read.
    if (length === buffer.length) buffer = Buffer.concat([buffer], Math.min(2 * length, most));
    const { bytesRead } = await file.read(buffer, length, buffer.length - length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

function textOf(bytes: Buffer): string | Unreadable {
  const nul = bytes.indexOf(0);
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff) || nul === 0 || nul === 1;
  if (isUtf16 && bytes.length > 1) return unreadable('it is not UTF-8, it looks like UTF-16', 'save it as UTF-8');
  if (nul !== -1) return unreadable('it contains a NUL byte, so it is not a text file', undefined, ...placeOf(bytes, nul));
  try {
    // Takes a byte order mark away.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return unreadable('it is not UTF-8', 'save it as UTF-8', ...placeOf(bytes, firstWrong(bytes)));
  }
}

/** Position of the first bytes that are not UTF-8, because the decoder does not report it. */
function firstWrong(bytes: Buffer): number {
  let [low, high] = [0, bytes.length];
  // A prefix is good if at most the character that it cuts is not whole.
  const isGood = (length: number): boolean => {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (isGood(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function placeOf(bytes: Buffer, offset: number): [line: number, column: number] {
  const before = bytes.subarray(0, offset).toString('latin1');
  return [before.split('\n').length, offset - before.lastIndexOf('\n')];
}
