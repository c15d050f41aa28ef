import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { inputError, messageOf } from '../../../core/errors.js';
import { BLOCK, computePadding, decodeHeader, type TarHeader } from './tar-header.js';

/** Position of an entry's content in the archive, in bytes. */
export interface ArchiveEntry extends TarHeader {
  at: number;
}

/** An archive with random access. No entry is ever unpacked under a name from the archive. */
export interface ArchiveReader {
  entries: ReadonlyMap<string, ArchiveEntry>;
  /** @param most maximum size, in bytes */
  bytes(entry: ArchiveEntry, most: number): Promise<Buffer>;
  /** Its content piece by piece, so that no memory is needed for it. */
  pieces(entry: ArchiveEntry): AsyncGenerator<Buffer>;
}

/** Read at a time, in bytes. */
const PIECE = 1024 * 1024;
/** Maximum number of listed entries: more than a manifest can name. */
const MOST_ENTRIES = 4_000_000;

/**
 * Opens an archive during `work`.
 *
 * @throws inputError `backup-damaged` for an invalid archive, with a non-regular file, a repeated name, or an entry
 * beyond the end
 */
export async function readArchive<T>(path: string, work: (archive: ArchiveReader) => Promise<T>): Promise<T> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw inputError({ code: 'no-backup', what: 'read the backup', on: path, why: 'the file does not exist' });
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw createDamagedError(path, 'it is not a file');
    const entries = await entriesOf(file, stat.size).catch((error: unknown) => {
      throw createDamagedError(path, messageOf(error), error);
    });
    return await work({
      entries,
      pieces: (entry) => piecesOf(file, entry),
      async bytes(entry, most) {
        if (entry.size > most)
          throw createDamagedError(path, `${entry.name} has ${entry.size} bytes, and at most ${most} are allowed`);
        const parts: Buffer[] = [];
        for await (const piece of piecesOf(file, entry)) parts.push(piece);
        return Buffer.concat(parts);
      },
    });
  } finally {
    await file.close();
  }
}

/** The SHA-256 of an entry, in hexadecimal digits. */
export async function hashOfEntry(archive: ArchiveReader, entry: ArchiveEntry): Promise<string> {
  const sum = createHash('sha256');
  for await (const piece of archive.pieces(entry)) sum.update(piece);
  return sum.digest('hex');
}

/** @throws never; the error of an archive that cannot be taken */
export const createDamagedError = (on: string, why: string, cause?: unknown) =>
  inputError(
    { code: 'backup-damaged', what: 'take the backup', on, why, hint: 'use another backup: this backup was damaged or altered' },
    { cause },
  );

async function entriesOf(file: FileHandle, size: number): Promise<Map<string, ArchiveEntry>> {
  const found = new Map<string, ArchiveEntry>();
  const block = Buffer.alloc(BLOCK);
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(block, 0, BLOCK, at);
    if (bytesRead < BLOCK) throw new Error('it ends too early');
    const header = decodeHeader(block);
    if (!header) return found;
    const begin = at + BLOCK;
    at = begin + header.size + computePadding(header.size);
    if (at > size) throw new Error(`${header.name} goes beyond the end of the file`);
    if (found.has(header.name)) throw new Error(`${header.name} is there twice`);
    if (found.size === MOST_ENTRIES) throw new Error(`it has more than ${MOST_ENTRIES} entries`);
    found.set(header.name, { ...header, at: begin });
  }
}

async function* piecesOf(file: FileHandle, { at, size, name }: ArchiveEntry): AsyncGenerator<Buffer> {
  for (let done = 0; done < size; ) {
    const length = Math.min(PIECE, size - done);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at + done);
    if (bytesRead === 0) throw new Error(`${name} ends too early`);
    yield buffer.subarray(0, bytesRead);
    done += bytesRead;
  }
}
