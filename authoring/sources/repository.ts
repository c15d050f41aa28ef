import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns whether a commit id belongs to a repository with SHA-256. */
const isLong = (commit: string): boolean => commit.length === 64;

/**
 * Provides an empty bare repository with our own configuration, and removes it afterwards.
 *
 * @param commit an id that determines the hash algorithm
 * @param objects an additional folder of objects; a path without links and line breaks
 */
export async function useRepository<T>(commit: string, work: (repository: string) => Promise<T>, objects?: string): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'provisioning-source-'));
  try {
    await mkdir(join(folder, 'objects/info'), { recursive: true });
    await mkdir(join(folder, 'refs'));
    const format = isLong(commit) ? '1\n[extensions]\n\tobjectformat = sha256\n' : '0\n';
    await writeFile(join(folder, 'config'), `[core]\n\tbare = true\n\trepositoryformatversion = ${format}`);
    await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/none\n');
    if (objects !== undefined) await writeFile(join(folder, 'objects/info/alternates'), `${objects}\n`);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
