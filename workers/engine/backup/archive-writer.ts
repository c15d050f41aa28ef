import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { inputError } from '../../../core/errors.js';
import { draftOf } from './drafts.js';
import { BLOCK, computePadding, encodeHeader } from './tar-header.js';

/** Result of writing an entry. */
export interface WrittenEntry {
  size: number;
  sha256: string;
}

/** A tar archive that is being written, entry by entry. */
export interface ArchiveWriter {
  bytes(name: string, content: Uint8Array): Promise<WrittenEntry>;
  /** A file that must not change during the call. */
  file(name: string, path: string): Promise<WrittenEntry>;
}

/**
 * Writes an archive, mode 0600. It has its name once it is whole and on disk, and never takes the place of another.
 *
 * @returns its size in bytes
 * @throws inputError `backup-exists`
 */
export async function writeArchive(path: string, fill: (archive: ArchiveWriter) => Promise<void>): Promise<number> {
  if (await stat(path).catch(() => undefined)) throw exists(path);
  const draft = draftOf(path, 'part');
  const file = await open(draft, 'wx', 0o600);
  try {
    await fill(writerOn(file));
    await file.writeFile(Buffer.alloc(2 * BLOCK));
    await file.sync();
    const { size } = await file.stat();
    await takeName(draft, path);
    const folder = await open(dirname(path), 'r');
    await folder.sync().finally(() => folder.close());
    return size;
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
}

/** Error codes of file systems without hard links, such as exFAT and network file systems. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/**
 * Renames a draft to its final name, unless the name exists.
 *
 * @throws inputError `backup-exists`
 * @param linked creates a hard link
 */
export async function takeName(draft: string, path: string, linked = link): Promise<void> {
  try {
    return await linked(draft, path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw exists(path);
    if (!NO_LINKS.includes(code)) throw error;
  }
  const placeholder = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? exists(path) : error;
  });
  await placeholder.close();
  try {
    await rename(draft, path);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

function writerOn(file: FileHandle): ArchiveWriter {
  const begin = (name: string, size: number) => file.writeFile(encodeHeader({ name, size }, new Date()));
  const end = (size: number) => file.writeFile(Buffer.alloc(computePadding(size)));
  return {
    async bytes(name, content) {
      await begin(name, content.length);
      await file.writeFile(content);
      await end(content.length);
      return { size: content.length, sha256: createHash('sha256').update(content).digest('hex') };
    },
    async file(name, path) {
      const { size } = await stat(path);
      await begin(name, size);
      const sum = createHash('sha256');
      let written = 0;
      for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
        sum.update(chunk);
        await file.writeFile(chunk);
        written += chunk.length;
      }
      if (written !== size) throw new Error(`${path} changed while it was read`);
      await end(size);
      return { size, sha256: sum.digest('hex') };
    },
  };
}

const exists = (on: string) =>
  inputError({
    code: 'backup-exists',
    what: 'write the backup',
    on,
    why: 'the file exists',
    hint: 'choose another file with --out',
  });
