import { rmSync } from 'node:fs';
import { mkdtemp, stat, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** File systems that are in memory: their files reach no disk, but for swap. */
const TMPFS = 0x0102_1994;
const RAMFS = 0x8584_58f6;
const SIGNALS = ['SIGTERM', 'SIGHUP'] as const;

/**
 * Puts a file into a private folder, in memory where there is one, and takes the folder away with all that is in
 * it when `use` has ended, also where a signal ends this process. Only what kills at once (`kill -9`) leaves it.
 *
 * @param use gets the path of the copy, and whether it lies in memory; its signal says that this process is to end
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
  // The terminal gives Ctrl-C to the editor too, which knows what it means: what it does then counts.
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

/** A folder in memory that is this user's, or where each has his own. */
async function memoryFolder({ XDG_RUNTIME_DIR: runtime }: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of [...(runtime ? [runtime] : []), '/dev/shm']) {
    try {
      const [{ type }, { uid, mode }] = await Promise.all([statfs(folder), stat(folder)]);
      const isOwn = uid === process.getuid?.() && (mode & 0o077) === 0;
      const isShared = uid === 0 && (mode & 0o1000) !== 0;
      if ((type === TMPFS || type === RAMFS) && (isOwn || isShared)) return folder;
    } catch {
      // It is not there.
    }
  }
  return undefined;
}
