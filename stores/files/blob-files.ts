import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BlobStore, blobMissing } from '../blobs.js';
import { storedFiles } from './stored-files.js';

/** A store of files, private to their owner. */
export function blobFiles(root: string): BlobStore {
  const pathOf = (address: string) => join(root, address.slice(0, 2), address);
  return {
    async put(text) {
      const address = createHash('sha256').update(text).digest('hex');
      const path = pathOf(address);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const draft = `${path}.${randomBytes(4).toString('hex')}`;
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(text);
        // A batch's history names it, and outlives a power cut.
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, path);
      await syncFolder(dirname(path));
      await syncFolder(root);
      return address;
    },
    async get(address) {
      if (!/^[0-9a-f]{64}$/.test(address)) throw blobMissing(address);
      return readFile(pathOf(address), 'utf8').catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? blobMissing(address) : error;
      });
    },
    size: () => storedFiles(root),
  };
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}
