import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Ignores the error of a file that was removed in the meantime. */
export function ignoreAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/**
 * Takes over the partial file of an earlier attempt. If two workers try, one gets it, and the other begins from
 * scratch.
 *
 * @param begun path of partial files
 * @param own path of this attempt: `begun` with a suffix
 * @param abandonedMs a file without a write for so long belongs to a worker that died
 */
export async function takeOver(begun: string, own: string, abandonedMs: number): Promise<void> {
  const folder = dirname(begun);
  const left = [begun];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (name.startsWith(`${basename(begun)}.`) && (await isAbandoned(path, abandonedMs))) left.push(path);
  }
  for (const path of left) {
    const moved = await rename(path, own).then(() => true, ignoreAbsent);
    if (moved) return;
  }
}

async function isAbandoned(path: string, abandonedMs: number): Promise<boolean> {
  const found = await stat(path).catch(ignoreAbsent);
  return found !== undefined && Date.now() - found.mtimeMs > abandonedMs;
}

/**
 * Takes the oldest files away until the rest is within its bound. Those that are written right now stay.
 *
 * @param kept name of a file that stays
 * @param most bytes of all
 */
export async function makeRoom(folder: string, kept: string, most: number, abandonedMs: number): Promise<void> {
  const found = await Promise.all(
    (await readdir(folder)).map(async (name) => ({ name, stats: await stat(join(folder, name)).catch(ignoreAbsent) })),
  );
  const files = found.flatMap(({ name, stats }) => (stats ? [{ name, size: stats.size, used: stats.mtimeMs }] : []));
  let total = files.reduce((sum, { size }) => sum + size, 0);
  for (const { name, size } of files.sort((a, b) => a.used - b.used)) {
    if (total <= most) return;
    const isWritten = name.split('.').length > 2 && !(await isAbandoned(join(folder, name), abandonedMs));
    if (name === kept || isWritten) continue;
    await rm(join(folder, name), { force: true });
    total -= size;
  }
}
