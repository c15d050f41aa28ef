import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../home/durable.js';
import { type BlobStore, blobMissing, contextOfBlob } from '../blobs.js';
import type { Sealer } from './sealer.js';
import { measureStoredFiles } from './stored-files.js';

/**
 * First byte of a sealed file. Files of a former release are not sealed: they are JSON, which never begins with this
 * byte.
 */
const SEALED = 1;
const ADDRESS = /^[0-9a-f]{64}$/;

/** A store of sealed files, private to their owner. */
export function blobFiles(root: string, sealer: Sealer): BlobStore {
  const pathOf = (address: string) => join(root, address.slice(0, 2), address);
  return {
    async put(text) {
      const address = createHash('sha256').update(text).digest('hex');
      // A batch's history names it, and outlives a power cut.
      await replaceFile(pathOf(address), (await sealer()).seal(Buffer.from(text), contextOfBlob(address)));
      return address;
    },
    has: (address) =>
      ADDRESS.test(address)
        ? stat(pathOf(address)).then(
            (found) => found.isFile(),
            () => false,
          )
        : Promise.resolve(false),
    async get(address) {
      if (!ADDRESS.test(address)) throw blobMissing(address);
      const bytes = await readFile(pathOf(address)).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? blobMissing(address) : error;
      });
      const plain = bytes[0] === SEALED ? await (await sealer()).open(bytes, contextOfBlob(address)) : bytes;
      return plain.toString('utf8');
    },
    size: () => measureStoredFiles(root),
  };
}
