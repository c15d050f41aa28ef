import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitForProgramSlot } from './run-limited.js';

/**
 * Gives `use` a private folder for what a program is made of, which goes with it. It is made only once a program may run
 * here: a process that hands its command back does not come here again to remove it.
 */
export async function usePrivateFolder<T>(name: string, use: (folder: string) => Promise<T>): Promise<T> {
  await waitForProgramSlot();
  const folder = await mkdtemp(join(tmpdir(), `provisioning-${name}-`));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
