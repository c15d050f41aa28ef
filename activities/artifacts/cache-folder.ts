import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** For what may have gone meanwhile. */
export function ignoreAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/**
 * What an earlier try has left of a file becomes this one's. Of two workers, one gets it, and the other begins at the
 * beginning.
 *
 * @param begun where a try leaves what has come
 * @param own where this one writes: `begun` with more behind it
 * @param abandonedMs a file that nobody has written to for so long belongs to a worker that is gone
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
