import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { ignoreAbsent } from './cache-folder.js';

/** How exactly it is noted when a file was last used, in milliseconds. */
const USED_MS = 60_000;

/** Opens files that are called by their hashes, each held to that before this process first uses it as it is. */
export function wholeFiles() {
  /** Files whose hash was looked at, as they were then. */
  const looked = new Map<string, string>();

  /**
   * Opens the file if it exists and has the hash of its name. A wrong file is removed. Its modification time is its
   * last use.
   */
  return async function openWhole(path: string, sha256: string): Promise<FileHandle | undefined> {
    const file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW).catch(ignoreAbsent);
    if (!file) return undefined;
    try {
      const found = await file.stat();
      if (looked.get(sha256) !== stateOf(found) && (await hashOf(file)) !== sha256) {
        await file.close();
        await rm(path, { force: true });
        return undefined;
      }
      // Not at each use: its state is to stay for the many who have looked at it.
      if (Date.now() - found.mtimeMs > USED_MS) await file.utimes(new Date(), new Date());
      looked.set(sha256, stateOf(await file.stat()));
      return file;
    } catch (error) {
      await file.close().catch(() => {});
      throw error;
    }
  };
}

/** Identifies the content of a file: it differs after any change. */
const stateOf = ({ ino, size, ctimeMs }: Stats): string => `${ino} ${size} ${ctimeMs}`;

async function hashOf(file: FileHandle): Promise<string> {
  const sum = createHash('sha256');
  const part = Buffer.alloc(1 << 20);
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(part, 0, part.length, position);
    if (bytesRead === 0) return sum.digest('hex');
    sum.update(part.subarray(0, bytesRead));
    position += bytesRead;
  }
}
