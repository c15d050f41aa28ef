import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreSize } from '../../core/engine/engine.js';

/** Number of concurrent queries. */
const AT_ONCE = 50;

/** Counts the files below this folder, and their bytes. Files that disappear during the count are ignored. */
export async function measureStoredFiles(root: string): Promise<StoreSize> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const paths = entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
  const stored = { count: 0, bytes: 0 };
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const found = await Promise.all(paths.slice(at, at + AT_ONCE).map((path) => stat(path).catch(() => undefined)));
    for (const one of found) {
      if (!one) continue;
      stored.count++;
      stored.bytes += one.size;
    }
  }
  return stored;
}
