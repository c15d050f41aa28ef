import { badKeyFile, type KeyEntry, type KeyList, kmsOf } from './key-entries.js';
import { BYTES, type KmsKind } from './kms/key-wrapper.js';
import { openKms } from './kms/open-kms.js';

/** Keys that this process has unwrapped. The service is queried once per key, for all readers. */
const known = new Map<string, Promise<{ bytes: Buffer; by: string }>>();

/**
 * Returns the bytes of a key, and the service that wrapped it.
 *
 * @throws inputError and unreachableError as `KeyWrapper.unwrap`; `key-file` for an invalid key
 */
export async function unwrapKey(
  path: string,
  { setUp = '' }: KeyList,
  entry: KeyEntry,
  env: NodeJS.ProcessEnv,
): Promise<{ bytes: Buffer; by?: string }> {
  const { id, key = '', wrapped } = entry;
  const kind = kmsOf(entry);
  if (kind === undefined || wrapped === undefined) {
    const bytes = Buffer.from(key, 'base64');
    if (bytes.length !== BYTES) throw badKeyFile(path, `key ${id} has ${bytes.length} bytes, not ${BYTES}`);
    return { bytes };
  }
  const name = `${kind}\0${setUp}\0${wrapped}`;
  const asked = known.get(name) ?? ask(kind, setUp, wrapped, env);
  known.set(name, asked);
  // A failed call must not be cached: it may succeed later.
  asked.catch(() => known.get(name) === asked && known.delete(name));
  return asked;
}

async function ask(kind: KmsKind, setUp: string, wrapped: string, env: NodeJS.ProcessEnv) {
  const kms = await openKms(kind, { setUp, env });
  return { bytes: await kms.unwrap(wrapped), by: kms.name };
}
