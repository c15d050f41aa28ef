import { rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const;
const DRAFT = /^(?<name>.+)\.(?<pid>\d{1,10})\.(?:part|db)$/;

/** Returns the temporary path of a part of a backup: the archive (`part`), or the copy of the database (`db`). */
export const draftOf = (file: string, kind: 'part' | 'db'): string => `${file}.${process.pid}.${kind}`;

/**
 * Runs work that creates drafts of a backup, and removes them at any end. Drafts are as large as the installation's
 * data, and would fill the disk. Drafts of killed processes beside the file are removed first.
 *
 * @param prefix of the names of this installation's other backups
 */
export async function useDrafts<T>(file: string, prefix: string, work: () => Promise<T>): Promise<T> {
  await removeLeft(file, prefix);
  const drafts = [draftOf(file, 'part'), draftOf(file, 'db')];
  const end = (signal: keyof typeof SIGNALS) => {
    for (const draft of drafts) rmSync(draft, { force: true });
    process.exit(128 + SIGNALS[signal]);
  };
  for (const signal of Object.keys(SIGNALS)) process.once(signal, end);
  try {
    return await work();
  } finally {
    for (const signal of Object.keys(SIGNALS)) process.removeListener(signal, end);
    await Promise.all(drafts.map((draft) => rm(draft, { force: true })));
  }
}

async function removeLeft(file: string, prefix: string): Promise<void> {
  for (const one of await readdir(dirname(file))) {
    const { name = '', pid } = DRAFT.exec(one)?.groups ?? {};
    const isOurs = name === basename(file) || (name.startsWith(prefix) && name.endsWith('.tar'));
    if (isOurs && !lives(Number(pid))) await rm(join(dirname(file), one), { force: true });
  }
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
