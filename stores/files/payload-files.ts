import { randomUUID } from 'node:crypto';
import { link, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PayloadStore } from '../../encryption/payload-store.js';
import { replaceFile } from '../../home/durable.js';
import { bytesAt, ignoreMissing, twoDeep } from './listing.js';
import { measureStoredFiles } from './stored-files.js';

/** Payloads as files, `<root>/<first two digits>/<sha256>`, mode 0600. */
export function payloadFiles(root: string): PayloadStore {
  const pathOf = (sha256: string) => join(root, sha256.slice(0, 2), sha256);
  return {
    async put(sha256, bytes) {
      const path = pathOf(sha256);
      const now = new Date();
      const known = await utimes(path, now, now).then(
        () => true,
        () => false,
      );
      // History will name it, and history outlives a power cut.
      if (!known) await replaceFile(path, bytes);
    },
    get: (sha256) => bytesAt(pathOf(sha256)),
    size: () => measureStoredFiles(root),
    async *list() {
      for await (const [, sha256] of twoDeep(root)) {
        const found = /^[0-9a-f]{64}$/.test(sha256) ? await stat(pathOf(sha256)).catch(() => undefined) : undefined;
        if (found) yield { sha256, bytes: found.size, used: found.mtime };
      }
    },
    async remove(sha256, unlessUsedSince) {
      const path = pathOf(sha256);
      // Usually the file is not moved at all, because a concurrent reader would not find it.
      const found = await ignoreMissing(stat(path));
      if (!found || found.mtime >= unlessUsedSince) return false;
      const aside = join(dirname(path), `.removed-${randomUUID()}`);
      try {
        // A later writer creates the file again.
        await rename(path, aside);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
        throw error;
      }
      try {
        if ((await stat(aside)).mtime < unlessUsedSince) return true;
        await link(aside, path).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error;
        });
        return false;
      } finally {
        await rm(aside, { force: true });
      }
    },
  };
}
