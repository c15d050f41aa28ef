import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { KEPT_READS, type SecretRead, secretRead } from '../secret-reads.js';
import { bytesAt, ignoreMissing } from './listing.js';

/** A line is shorter than this. */
const LINE_BYTES = 512;

/** Appends a line. Lines before the last `KEPT_READS` are deleted from time to time. */
export async function appendRead(folder: string, read: SecretRead): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'new');
  const { size = 0 } = (await ignoreMissing(stat(path))) ?? {};
  if (size > KEPT_READS * LINE_BYTES) await ignoreMissing(rename(path, join(folder, 'old')));
  // Lines of several processes do not mix: each is one short write at the end.
  await appendFile(path, `${JSON.stringify(read)}\n`, { mode: 0o600 });
}

/** Returns the appended reads, in order. A line that a crash truncated is left out. */
export async function readsIn(folder: string): Promise<SecretRead[]> {
  const parts = await Promise.all(['old', 'new'].map((name) => bytesAt(folder, name)));
  const lines = parts.flatMap((bytes) => bytes?.toString('utf8').split('\n') ?? []);
  return lines.flatMap((line) => {
    try {
      return secretRead.parse(JSON.parse(line));
    } catch {
      return [];
    }
  });
}
