import { readlinkSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { vi } from 'vitest';

/**
 * Runs work.
 *
 * @returns the paths of the files and folders that it synced, by their names at that moment
 */
export async function syncedIn(work: () => Promise<unknown>): Promise<string[]> {
  const probe = await open(tmpdir(), 'r');
  const handle = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  const synced: string[] = [];
  const spies = (['sync', 'datasync'] as const).map((name) => {
    const real = handle[name];
    return vi.spyOn(handle, name).mockImplementation(function (this: FileHandle) {
      synced.push(readlinkSync(`/proc/self/fd/${this.fd}`));
      return real.call(this);
    });
  });
  try {
    await work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return synced;
}
