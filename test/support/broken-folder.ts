import { mkdir, rename, rm, writeFile } from 'node:fs/promises';

/**
 * Replaces a folder with a file, so that not even root can read or write below it.
 *
 * @returns a function that restores the folder
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
