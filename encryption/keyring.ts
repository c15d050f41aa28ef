import { createHmac, type KeyObject } from 'node:crypto';
import { inputError } from '../core/errors.js';

/** Key of 256 bits with an id, which is stored in plain text with everything that the key sealed. */
export interface EncryptionKey {
  id: string;
  secret: KeyObject;
  /** Origin of the key: a file, the environment, a key service. */
  source: string;
  /** ISO time of its creation, if known. */
  since?: string;
}

/** Keys of a set-up: the current key seals, and all of them open. */
export interface Keyring {
  current(): EncryptionKey;
  /** @throws inputError `unknown-encryption-key`, with the id and a remedy */
  find(id: string): EncryptionKey;
  /** The current key first. */
  list(): readonly EncryptionKey[];
  /** Reads the sources again. Returns whether a key was added or another one is current. */
  refresh(): Promise<boolean>;
}

/** Returns the present keys. */
export type KeySource = () => Promise<readonly EncryptionKey[]>;

/**
 * Loads a keyring from a source, whose first key is current.
 *
 * @throws inputError `no-encryption-key` if the source has no keys
 */
export async function loadKeyring(source: KeySource): Promise<Keyring> {
  let keys = checked(await source());
  return {
    current: () => keys[0] as EncryptionKey,
    find: (id) => keys.find((key) => key.id === id) ?? unknownKey(id, keys),
    list: () => keys,
    async refresh() {
      const before = keys.map(({ id }) => id).join();
      keys = checked(await source());
      return keys.map(({ id }) => id).join() !== before;
    },
  };
}

/** Returns the default id of a key. Equal keys have equal ids, and the id does not reveal the key. */
export const fingerprintOf = (key: KeyObject): string =>
  createHmac('sha256', key).update('provisioning key id').digest('hex').slice(0, 8);

/** Merges the same key from two sources. Two keys with one id are ambiguous and refused. */
function checked(keys: readonly EncryptionKey[]): EncryptionKey[] {
  const kept = new Map<string, EncryptionKey>();
  for (const key of keys) {
    const known = kept.get(key.id);
    if (known && !known.secret.equals(key.secret)) {
      throw inputError({
        code: 'encryption-key-twice',
        what: 'read the encryption keys',
        on: `key ${key.id}`,
        why: `two different keys have this id, one from ${known.source}, one from ${key.source}`,
        hint: 'give one of them another id: PROVISIONING_ENCRYPTION_KEYS=ID:KEY,…',
      });
    }
    if (!known) kept.set(key.id, key);
  }
  if (kept.size > 0) return [...kept.values()];
  throw inputError({
    code: 'no-encryption-key',
    what: 'read the encryption keys',
    why: 'the platform has no key',
    hint: 'provisioning up creates a key; or set PROVISIONING_ENCRYPTION_KEYS',
  });
}

function unknownKey(id: string, keys: readonly EncryptionKey[]): never {
  throw inputError({
    code: 'unknown-encryption-key',
    what: 'decrypt the payload',
    on: `key ${id}`,
    why: `it was encrypted with a key that this platform does not have (available keys: ${keys.map((key) => key.id).join(', ')})`,
    hint: `add the key ${id} to encryption/keys.json of this home, or to PROVISIONING_ENCRYPTION_KEYS, then run \`provisioning up\`; docs/operate/encryption.md`,
  });
}
