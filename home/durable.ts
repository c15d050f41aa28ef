import { randomUUID } from 'node:crypto';
import { type FileHandle, link, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Replaces a file, or makes it, mode 0600, with folders above it as needed. Answered once it outlives a power cut. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const draft = await draftBeside(path, content);
  await orRemoved(draft, rename(draft, path));
  await keepNames(dirname(path));
}

/**
 * Makes a file unless it is there, as `replaceFile` does. Of two at once one makes it.
 *
 * @returns whether this call made it
 */
export async function createFile(path: string, content: string | Uint8Array): Promise<boolean> {
  const draft = await draftBeside(path, content);
  try {
    // Unlike a rename, a link fails where another process was first.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  await keepNames(dirname(path));
  return true;
}

/** Sees that a file that another process may have written outlives a power cut, with its name. */
export async function keepWritten(path: string): Promise<void> {
  const file = await open(path, 'r');
  await file.datasync().finally(() => file.close());
  await keepNames(dirname(path));
}

/** Sees that the names in a folder outlive a crash of the machine. */
async function keepNames(folder: string): Promise<void> {
  const own = await open(folder, 'r');
  await own.sync().finally(() => own.close());
}

/** Written and synced under a name of its own that begins with a dot, to be put into place at once. */
async function draftBeside(path: string, content: string | Uint8Array): Promise<string> {
  const folder = dirname(path);
  await makeFolder(folder);
  const draft = join(folder, `.${randomUUID()}`);
  const file = await open(draft, 'wx', 0o600);
  await orRemoved(draft, writeAll(file, content));
  return draft;
}

async function writeAll(file: FileHandle, content: string | Uint8Array): Promise<void> {
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A draft that comes to nothing goes: on a full disk it would take what is left, one at each try. */
const orRemoved = (draft: string, done: Promise<void>): Promise<void> =>
  done.catch(async (error: unknown) => {
    await rm(draft, { force: true });
    throw error;
  });

/** Makes a folder with those above it, mode 0700; the names of new ones outlive a crash too. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let above = dirname(folder); ; above = dirname(above)) {
    await keepNames(above);
    if (above === dirname(first)) return;
  }
}
