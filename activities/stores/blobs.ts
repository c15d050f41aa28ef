import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inputError } from '../../core/errors.js';

/** Texts by content address: what is too large for a workflow's history. Written once, never changed. */
export interface BlobStore {
  /** @returns its address */
  put(text: string): Promise<string>;
  /** Throws the input error `blob-missing`. */
  get(address: string): Promise<string>;
}

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

/** The error for an address that nothing lies at. */
export const blobMissing = (address: string) =>
  inputError({
    code: 'blob-missing',
    what: 'read what was kept outside the history',
    on: address,
    why: 'it is not in the store',
    hint: 'was the folder batches of PROVISIONING_HOME removed, or PROVISIONING_STORE changed?',
  });
