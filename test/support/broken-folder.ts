import { mkdir, rename, rm, writeFile } from 'node:fs/promises';

/**
 * Replaces a folder by a file: nothing can be read or written below it, by root neither.
 *
 * @returns what puts the folder back
 */
export async function breakFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true });
  await rename(folder, `${folder}.away`);
  await writeFile(folder, '');
  return async () => {
    await rm(folder);
    await rename(`${folder}.away`, folder);
  };
}
