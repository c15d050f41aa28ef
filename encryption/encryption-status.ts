import { createKeyFile, type KeyPlace, readKeyring } from './keys.js';
import type { KmsKind } from './kms/key-wrapper.js';
import { kmsKindOf } from './kms/open-kms.js';
import { isEncrypting } from './open-encryption.js';

/** Keys of a home by id, without their bytes. */
export interface EncryptionStatus {
  /** Whether new payloads are encrypted. */
  encrypting: boolean;
  algorithm: 'AES-256-GCM';
  /** Key service that the settings name. */
  kms: KmsKind;
  /** Key services that wrapped the keys of the file, without duplicates; undefined for a plain key. */
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
