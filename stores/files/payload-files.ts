import { mkdir, open, readFile, rename, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PayloadStore } from '../payloads.js';
import { storedFiles } from './stored-files.js';

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
      if (known) return;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const draft = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(bytes);
        // History will name it, and history outlives a power cut.
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, path);
      const folder = await open(dirname(path), 'r');
      await folder.sync().finally(() => folder.close());
    },
    async get(sha256) {
      try {
        return await readFile(pathOf(sha256));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    size: () => storedFiles(root),
  };
}
