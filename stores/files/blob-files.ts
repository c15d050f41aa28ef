import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BlobStore, blobMissing } from '../blobs.js';

/** A store of files, private to their owner. */
export function blobFiles(root: string): BlobStore {
  const pathOf = (address: string) => join(root, address.slice(0, 2), address);
  return {
    async put(text) {
      const address = createHash('sha256').update(text).digest('hex');
      const path = pathOf(address);
      await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
      const draft = `${path}.${randomBytes(4).toString('hex')}`;
      await writeFile(draft, text, { mode: 0o600 });
      await rename(draft, path);
      return address;
    },
    async get(address) {
      if (!/^[0-9a-f]{64}$/.test(address)) throw blobMissing(address);
      return readFile(pathOf(address), 'utf8').catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? blobMissing(address) : error;
      });
    },
  };
}
