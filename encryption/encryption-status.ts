import { createKeyFile, type KeyPlace, readKeyring } from './keys.js';
import type { KmsKind } from './kms/key-wrapper.js';
import { kmsKindOf } from './kms/open-kms.js';
import { isEncrypting } from './open-encryption.js';

/** The keys of a home by their ids, never the keys themselves. */
export interface EncryptionStatus {
  /** Whether new payloads are encrypted. */
  encrypting: boolean;
  algorithm: 'AES-256-GCM';
  /** The key service that the settings name. */
  kms: KmsKind;
  /** Who wrapped the keys of the file, each once; undefined among them if one lies there as it is. */
  wrappedBy: (KmsKind | undefined)[];
  keys: { id: string; current: boolean; source: string; since: string | undefined }[];
}

/** @throws inputError if there is no key, or one cannot be read */
export async function encryptionStatus(place: KeyPlace): Promise<EncryptionStatus> {
  const encrypting = isEncrypting(place.env);
  const keyring = await readKeyring(place);
  const keys = keyring.list().map(({ id, source, since }, index) => ({ id, current: index === 0, source, since }));
  const [kms, wrappedBy] = [kmsKindOf(place.env), await createKeyFile(place).wrappedBy()];
  return { encrypting, algorithm: 'AES-256-GCM', kms, wrappedBy, keys };
}
