import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Work } from './work.js';

/** Writes the wanted files to the folder from which peers copy them. */
export async function writeContents(folder: string, { files }: Work): Promise<(Work['files'][number] & { src: string })[]> {
  await mkdir(join(folder, 'files'), { recursive: true });
  return Promise.all(
    files.map(async (file, index) => {
      const src = join(folder, 'files', String(index));
      await writeFile(src, file.content);
      return { ...file, src };
    }),
  );
}
