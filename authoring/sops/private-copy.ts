import { rmSync } from 'node:fs';
import { mkdtemp, stat, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** File systems in memory. Their files do not reach a disk, except through swap. */
const TMPFS = 0x0102_1994;
const RAMFS = 0x8584_58f6;
const SIGNALS = ['SIGTERM', 'SIGHUP'] as const;

/**
 * Writes a file into a private folder, in memory if possible. Removes the folder and its contents after `use`, also if
 * a signal ends this process. Only an immediate kill (`kill -9`) leaves the folder behind.
 *
 * @param use gets the path of the copy, whether it is in memory, and a signal that aborts when this process must end
 */
export async function usePrivateCopy<T>(
  { name, content, env }: { name: string; content: Buffer; env: NodeJS.ProcessEnv },
  use: (copy: { path: string; inMemory: boolean; signal: AbortSignal }) => Promise<T>,
): Promise<T> {
  const memory = await memoryFolder(env);
  const folder = await mkdtemp(join(memory ?? tmpdir(), 'provisioning-'));
  const ending = new AbortController();
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const end = (signal: NodeJS.Signals) => {
    ending.abort();
    remove();
    for (const one of SIGNALS) process.off(one, end);
    process.kill(process.pid, signal);
  };
  // The terminal sends Ctrl-C to the editor too. The editor decides what it means.
  const ignore = () => {};
  for (const one of SIGNALS) process.on(one, end);
  process.on('SIGINT', ignore);
  try {
    const path = join(folder, basename(name));
    await writeFile(path, content, { mode: 0o600, flag: 'wx' });
    return await use({ path, inMemory: memory !== undefined, signal: ending.signal });
  } finally {
    remove();
    for (const one of SIGNALS) process.off(one, end);
    process.off('SIGINT', ignore);
  }
}

/** Returns a folder in memory that belongs to this user, or in which each user has private files. */
async function memoryFolder({ XDG_RUNTIME_DIR: runtime }: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of [...(runtime ? [runtime] : []), '/dev/shm']) {
    try {
      const [{ type }, { uid, mode }] = await Promise.all([statfs(folder), stat(folder)]);
      const isOwn = uid === process.getuid?.() && (mode & 0o077) === 0;
      const isShared = uid === 0 && (mode & 0o1000) !== 0;
      if ((type === TMPFS || type === RAMFS) && (isOwn || isShared)) return folder;
    } catch {
      // The folder does not exist.
    }
  }
  return undefined;
}
