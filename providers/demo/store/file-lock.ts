import { readFile, readlink, symlink, unlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs `work` while no other process of this machine holds the lock. The lock
 * is a symbolic link whose target names its holder (making one is atomic and
 * carries the name at once); that of a process that has died is broken.
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
 * Who wants to break the lock of a dead holder holds a lock on that right, named
 * for the dead one; so nobody ever removes the lock of a living one that came next.
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

/** Process id and, where /proc tells it, time of start: ids are used again. */
async function processName(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field is the program's name in parentheses and may hold spaces; the start is field 22.
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return `${pid}-${started ?? 0}`;
}
