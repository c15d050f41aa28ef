import { createSecretKey, randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createFile, replaceFile } from '../home/durable.js';
import { isSetUp, type KeyEntry, type KeyList, kmsOf, readKeyList } from './key-entries.js';
import { lockKeyFile, ownFolder } from './key-file-lock.js';
import { type EncryptionKey, fingerprintOf } from './keyring.js';
import { BYTES, type KmsKind } from './kms/key-wrapper.js';
import { addLocalKey, dropFormerLocalKeys } from './kms/local-keys.js';
import { kmsKindOf, openKms } from './kms/open-kms.js';
import { unwrapKey } from './unwrapped.js';

/** Keys in a private file, wrapped by a key service, the current one first. */
export interface KeyFile {
  readonly path: string;
  /** Changes with the file; undefined if there is no file. */
  mark(): Promise<string | undefined>;
  /** @throws inputError `key-file` if others may read it, or it is invalid; as `KeyWrapper.unwrap` */
  read(): Promise<EncryptionKey[]>;
  /** Returns the key services that wrapped the keys, without duplicates; undefined for a plain key. */
  wrappedBy(): Promise<(KmsKind | undefined)[]>;
  /** Returns the set-up for which the keys are wrapped. */
  setUp(): Promise<string | undefined>;
  /** Creates the first key if it is missing; concurrent calls create one. */
  ensure(): Promise<void>;
  /** Creates a new current key. The former keys stay for reading, also if several calls add a key at once. */
  add(): Promise<EncryptionKey>;
  /** Imports keys from elsewhere, behind the existing keys that can be opened. @returns how many */
  takeUp(keys: readonly KeptKey[]): Promise<number>;
  /**
   * Wraps all keys with the currently configured service.
   *
   * @param which `plain`: only keys that are not wrapped
   * @returns how many
   */
  wrapAgain(which: 'all' | 'plain'): Promise<number>;
}

/** Key in a recovery copy. */
export interface KeptKey {
  id: string;
  since: string;
  secret: Buffer;
}

interface Making {
  env: NodeJS.ProcessEnv;
  /** Returns the set-up for new keys, if the file does not name it. */
  setUp(): Promise<string>;
}

/** Opens the keys in a file. Changes are exclusive and atomic, and durable when they return. */
export function keyFile(path: string, { env, setUp: named }: Making): KeyFile {
  const keyOf = async (list: KeyList, entry: KeyEntry): Promise<EncryptionKey> => {
    const { bytes, by } = await unwrapKey(path, list, entry, env);
    const { id, since } = entry;
    return { id, since, secret: createSecretKey(bytes), source: by === undefined ? path : `${path}, wrapped by ${by}` };
  };
  const setUpOf = async (list: KeyList): Promise<string> => list.setUp ?? checkedSetUp(await named());
  const wrap = async (setUp: string, { id, since, secret }: KeptKey): Promise<KeyEntry> => {
    const kms = await openKms(kmsKindOf(env), { setUp, env });
    return { id, since, kms: kms.kind, wrapped: await kms.wrap(secret) };
  };
  const make = (setUp: string): Promise<KeyEntry> => {
    const secret = randomBytes(BYTES);
    return wrap(setUp, { id: fingerprintOf(createSecretKey(secret)), since: new Date().toISOString(), secret });
  };
  const change = (work: (list: KeyList) => Promise<KeyList | undefined>): Promise<void> =>
    lockKeyFile(path, async () => {
      const next = await work(await readKeyList(path));
      if (next) await replaceFile(path, textOf(next));
    });

  return {
    path,
    async mark() {
      const found = await stat(path).catch(() => undefined);
      return found && `${found.mtimeMs}/${found.size}/${found.ino}/${found.mode}`;
    },
    async read() {
      const list = await readKeyList(path);
      return Promise.all(list.keys.map((entry) => keyOf(list, entry)));
    },
    async wrappedBy() {
      return [...new Set((await readKeyList(path)).keys.map(kmsOf))];
    },
    async setUp() {
      return (await readKeyList(path)).setUp;
    },
    async ensure() {
      if (await stat(path).catch(() => undefined)) return;
      const setUp = await setUpOf({ keys: [] });
      await ownFolder(dirname(path));
      await createFile(path, textOf({ setUp, keys: [await make(setUp)] }));
    },
    async add() {
      let made: EncryptionKey | undefined;
      await change(async (list) => {
        const setUp = await setUpOf(list);
        const entry = await make(setUp);
        made = await keyOf({ setUp, keys: [] }, entry);
        return { setUp, keys: [entry, ...list.keys] };
      });
      return made as EncryptionKey;
    },
    async takeUp(kept) {
      let count = 0;
      await change(async (list) => {
        const setUp = await setUpOf(list);
        const opens = (entry: KeyEntry) =>
          unwrapKey(path, list, entry, env).then(
            () => true,
            () => false,
          );
        const entries: KeyEntry[] = [];
        const taken = async (key: KeptKey) => {
          count++;
          entries.push(await wrap(setUp, key));
        };
        for (const entry of list.keys) {
          const same = kept.find(({ id }) => id === entry.id);
          // A key that works stays unchanged.
          if (same && !(await opens(entry))) await taken(same);
          else entries.push(entry);
        }
        for (const key of kept) if (!list.keys.some(({ id }) => id === key.id)) await taken(key);
        return count > 0 ? { setUp, keys: entries } : undefined;
      });
      return count;
    },
    wrapAgain: (which) =>
      lockKeyFile(path, async () => {
        const list = await readKeyList(path);
        const chosen = (entry: KeyEntry) => which === 'all' || kmsOf(entry) === undefined;
        const count = list.keys.filter(chosen).length;
        if (count === 0) return 0;
        const setUp = await setUpOf(list);
        const keys = await Promise.all(list.keys.map(async (entry) => ({ entry, ...(await unwrapKey(path, list, entry, env)) })));
        const isRenewed = which === 'all' && kmsKindOf(env) === 'local';
        if (isRenewed) await addLocalKey({ setUp, env });
        const next = keys.map(({ entry, bytes }) => (chosen(entry) ? wrap(setUp, { ...entry, secret: bytes }) : entry));
        await replaceFile(path, textOf({ setUp, keys: await Promise.all(next) }));
        if (isRenewed) await dropFormerLocalKeys({ setUp, env });
        return count;
      }),
  };
}

const textOf = (list: KeyList): string => `${JSON.stringify(list, null, 2)}\n`;

function checkedSetUp(setUp: string): string {
  if (isSetUp(setUp)) return setUp;
  throw new Error('the name of the set-up cannot be a file name');
}
