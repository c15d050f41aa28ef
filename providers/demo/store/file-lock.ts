import { readFile, readlink, symlink, unlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs `work` while no other process of this machine holds the lock. The lock is a symbolic link whose target names its
 * holder: creating a link is atomic, and stores the name at once. The lock of a dead process is broken.
 */
export async function lockFile<T>(path: string, work: () => Promise<T>): Promise<T> {
  const self = await processName(process.pid);
  while (!(await take(path, self))) {
    const holder = await holderOf(path);
    if (holder !== undefined && !(await lives(holder))) await breakLock(path, holder);
    else await sleep(1 + Math.random() * 4);
  }
  try {
    return await work();
  } finally {
    await unlink(path);
  }
}

/**
 * Breaks the lock of a dead holder. This needs a lock too, named after the dead holder, so that the lock of a later
 * living holder is never removed.
 */
function breakLock(path: string, holder: string): Promise<void> {
  return lockFile(`${path}.${holder}`, async () => {
    if ((await holderOf(path)) === holder) await unlink(path);
  });
}

async function take(path: string, self: string): Promise<boolean> {
  try {
    await symlink(self, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function holderOf(path: string): Promise<string | undefined> {
  return readlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

async function lives(holder: string): Promise<boolean> {
  const pid = Number(holder.split('-')[0]);
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return (await processName(pid)) === holder;
}

/** Returns the process id and, if /proc has it, the start time: ids are reused. */
async function processName(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field is the program's name in parentheses and may contain spaces; the start is field 22.
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return `${pid}-${started ?? 0}`;
}
