import { randomUUID } from 'node:crypto';
import { type FileHandle, link, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

type Content = string | Uint8Array;

/** Replaces or creates a file with mode 0600, with its parent folders. The result survives a power cut. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const draft = await draftBeside(path, content);
  await orRemoved(draft, rename(draft, path));
  await keepNames(dirname(path));
}

/**
 * Creates a file unless it exists, as `replaceFile` does. If two calls compete, one of them succeeds.
 *
 * @returns whether this call created it
 */
export async function createFile(path: string, content: Content | AsyncIterable<Uint8Array>): Promise<boolean> {
  const draft = await draftBeside(path, content);
  try {
    // Unlike a rename, a link fails if another process was first.
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

/** Syncs a file that another process may have written, with its name, so that it survives a power cut. */
export async function keepWritten(path: string): Promise<void> {
  const file = await open(path, 'r');
  await file.datasync().finally(() => file.close());
  await keepNames(dirname(path));
}

/** Syncs the names in a folder, so that they survive a crash of the machine. */
async function keepNames(folder: string): Promise<void> {
  const own = await open(folder, 'r');
  await own.sync().finally(() => own.close());
}

/** Writes and syncs a hidden draft beside a file, which a rename or link then puts into place. */
async function draftBeside(path: string, content: Content | AsyncIterable<Uint8Array>): Promise<string> {
  const folder = dirname(path);
  await makeFolder(folder);
  const draft = join(folder, `.${randomUUID()}`);
  const file = await open(draft, 'wx', 0o600);
  await orRemoved(draft, writeAll(file, content));
  return draft;
}

async function writeAll(file: FileHandle, content: Content | AsyncIterable<Uint8Array>): Promise<void> {
  try {
    if (typeof content === 'string' || content instanceof Uint8Array) await file.writeFile(content);
    else for await (const chunk of content) await file.writeFile(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Removes a draft after a failure: on a full disk each attempt would leave another one. */
const orRemoved = (draft: string, done: Promise<void>): Promise<void> =>
  done.catch(async (error: unknown) => {
    await rm(draft, { force: true });
    throw error;
  });

/** Creates a folder and its parents with mode 0700, and syncs their names. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let above = dirname(folder); ; above = dirname(above)) {
    await keepNames(above);
    if (above === dirname(first)) return;
  }
}
