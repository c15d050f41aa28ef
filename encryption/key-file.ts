import { createSecretKey, randomBytes } from 'node:crypto';
import { chmod, type FileHandle, link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inputError } from '../core/errors.js';
import type { KeyWrapper } from './key-wrapper.js';
import { type EncryptionKey, fingerprintOf } from './keyring.js';

export const KEY_BYTES = 32;

/** How long one that adds a key waits for another, in milliseconds; each needs a few. */
const TURN_MS = 5_000;

/** A key as the file has it: base64, or wrapped by a key service. */
interface KeyEntry {
  id: string;
  since: string;
  key?: string;
  wrapped?: string;
}

/** Keys in a file that only its owner may read, the current one first. */
export interface KeyFile {
  readonly path: string;
  /** Changes when the file does; undefined where there is none. */
  mark(): Promise<string | undefined>;
  /** @throws inputError `key-file` where others may read it or it cannot be understood */
  read(): Promise<EncryptionKey[]>;
  /** Makes the first key where there is none; two at once make one. */
  ensure(): Promise<void>;
  /** Makes a new current key; the former ones stay for reading, also where several add one at once. */
  add(): Promise<EncryptionKey>;
}

/** @param wrapper wraps new keys; without it they lie in the file as they are */
export function keyFile(path: string, wrapper?: KeyWrapper): KeyFile {
  const unwrapped = new Map<string, EncryptionKey>();
  const keyOf = async ({ id, since, key, wrapped }: KeyEntry): Promise<EncryptionKey> => {
    const known = unwrapped.get(wrapped ?? '');
    if (known) return known;
    if (wrapped !== undefined && !wrapper) {
      throw bad(path, `key ${id} is wrapped by a key service`, 'set PROVISIONING_KEY_COMMAND, as when it was made');
    }
    const bytes = wrapped !== undefined && wrapper ? await wrapper.unwrap(wrapped) : Buffer.from(key ?? '', 'base64');
    if (bytes.length !== KEY_BYTES) throw bad(path, `key ${id} has ${bytes.length} bytes, not ${KEY_BYTES}`);
    const source = wrapped !== undefined ? `${path}, wrapped by ${wrapper?.name}` : path;
    const read = { id, since, secret: createSecretKey(bytes), source };
    if (wrapped !== undefined) unwrapped.set(wrapped, read);
    return read;
  };
  const write = async (file: FileHandle, entries: () => Promise<KeyEntry[]>): Promise<void> => {
    try {
      await file.writeFile(`${JSON.stringify({ keys: await entries() }, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  };
  const ownFolder = async (): Promise<void> => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await chmod(dirname(path), 0o700);
  };
  const make = async (): Promise<KeyEntry> => {
    const bytes = randomBytes(KEY_BYTES);
    const id = fingerprintOf(createSecretKey(bytes));
    const since = new Date().toISOString();
    return wrapper ? { id, since, wrapped: await wrapper.wrap(bytes) } : { id, since, key: bytes.toString('base64') };
  };

  return {
    path,
    async mark() {
      const found = await stat(path).catch(() => undefined);
      return found && `${found.mtimeMs}/${found.size}/${found.ino}/${found.mode}`;
    },
    async read() {
      return Promise.all((await entriesOf(path)).map(keyOf));
    },
    async ensure() {
      if (await stat(path).catch(() => undefined)) return;
      await ownFolder();
      const name = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
      const file = await open(name, 'wx', 0o600);
      try {
        await write(file, async () => [await make()]);
        // Unlike a rename, a link fails where another process was first.
        await link(name, path);
        await syncFolder(dirname(path));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      } finally {
        await rm(name, { force: true });
      }
    },
    async add() {
      const made = await make();
      await ownFolder();
      const next = `${path}.next`;
      const file = await alone(next);
      try {
        await write(file, async () => [made, ...(await entriesOf(path))]);
        await rename(next, path);
      } catch (error) {
        await rm(next, { force: true });
        throw error;
      }
      await syncFolder(dirname(path));
      return keyOf(made);
    },
  };
}

/** Makes a file that must not be there: whoever has made it reads and writes alone until it is renamed. */
async function alone(path: string): Promise<FileHandle> {
  for (const until = Date.now() + TURN_MS; ; await sleep(20)) {
    try {
      return await open(path, 'wx', 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (Date.now() > until) throw bad(path, 'another process is adding a key', `if none is, one was killed at it: rm ${path}`);
    }
  }
}

async function entriesOf(path: string): Promise<KeyEntry[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return [];
  if ((found.mode & 0o077) !== 0) {
    throw bad(path, `others may read or write it (mode ${(found.mode & 0o777).toString(8)})`, `chmod 600 ${path}`);
  }
  let read: { keys?: KeyEntry[] };
  try {
    read = JSON.parse(await readFile(path, 'utf8'));
  } catch {
    // The parser's own words would quote what is in the file.
    throw bad(path, 'it is not JSON', 'restore a copy of it');
  }
  const valid = ({ id, key, wrapped }: KeyEntry) => typeof id === 'string' && typeof (key ?? wrapped) === 'string';
  if (Array.isArray(read.keys) && read.keys.every(valid)) return read.keys;
  throw bad(path, 'it is not of the form { "keys": [{ "id", "since", "key" }] }', 'restore a copy of it');
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

const bad = (on: string, why: string, hint?: string) =>
  inputError({ code: 'key-file', what: 'read the encryption keys', on, why, hint });
