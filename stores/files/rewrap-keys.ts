import { createKeyFile, type KeyPlace } from '../../encryption/keys.js';
import type { KmsKind } from '../../encryption/kms/key-wrapper.js';
import { kmsKindOf } from '../../encryption/kms/open-kms.js';
import type { Home } from '../../home/home.js';
import { beginKeys } from './rotate-key.js';

/** The service that wraps the keys now, and how many it wrapped. */
interface Rewrapped {
  kms: KmsKind;
  keys: number;
  /** Whether another service wrapped one of them before. */
  isOther: boolean;
}

/**
 * Wraps all keys of a home with the configured key service. The encrypted data do not change.
 *
 * @throws inputError `former-home`; as `KeyWrapper`
 */
export async function rewrapKeys(home: Home, place: KeyPlace): Promise<Rewrapped> {
  await beginKeys(home, place);
  const file = createKeyFile(place);
  const kms = kmsKindOf(place.env);
  const isOther = (await file.wrappedBy()).some((kind) => kind !== kms);
  return { kms, keys: await file.wrapAgain('all'), isOther };
}
