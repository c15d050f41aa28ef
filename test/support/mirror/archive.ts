import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** File of an archive: its content, and whether it is executable. */
export interface Entry {
  content: Buffer | string;
  executable?: true;
}

/**
 * Returns a reproducible `.tar.gz` of these files, by path.
 *
 * @param top folder of all of them: with the default, all paths of the archive begin with `./`
 */
export async function tarOf(entries: Readonly<Record<string, Entry>>, top = '.'): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'archive-'));
  try {
    await mkdir(join(folder, 'in'));
    for (const [path, { content, executable }] of Object.entries(entries)) {
      const to = join(folder, 'in', path);
      await mkdir(dirname(to), { recursive: true });
      await writeFile(to, content, { mode: executable ? 0o755 : 0o644 });
    }
    const out = join(folder, 'out.tar.gz');
    const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0'];
    await run('tar', [...same, '-I', 'gzip -n', '-cf', out, '-C', join(folder, 'in'), top]);
    return await readFile(out);
  } finally {
    await rm(folder, { recursive: true });
  }
}
