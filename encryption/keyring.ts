import { createHmac, type KeyObject } from 'node:crypto';
import { inputError } from '../core/errors.js';

/** A key of 256 bits under a name that stands, in plain text, beside all that it sealed. */
export interface EncryptionKey {
  id: string;
  secret: KeyObject;
  /** Where it is from: a file, the environment, a key service. */
  source: string;
  /** ISO time at which it was made, where that is known. */
  since?: string;
}

/** The current key seals; all of them open. */
export interface Keyring {
  current(): EncryptionKey;
  /** @throws inputError `unknown-encryption-key`, which names the id and what to do */
  find(id: string): EncryptionKey;
  /** The current one first. */
  list(): readonly EncryptionKey[];
  /** Looks at the sources again; whether a key came or another one is current. */
  refresh(): Promise<boolean>;
}

/** Keys as they are at a moment. */
export type KeySource = () => Promise<readonly EncryptionKey[]>;

/**
 * A ring on a source, the first key current.
 *
 * @throws inputError `no-encryption-key` where the source has none
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

/** The name of a key that was given none: the same key has the same one wherever it lies, and the name does not tell the key. */
export const fingerprintOf = (key: KeyObject): string =>
  createHmac('sha256', key).update('provisioning key id').digest('hex').slice(0, 8);

/** The same key from two sources is one; two keys of one id cannot be told apart and are refused. */
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
