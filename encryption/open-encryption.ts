import type { PayloadCodec } from '@temporalio/common';
import { inputError } from '../core/errors.js';
import type { Cipher } from './cipher.js';
import type { Keyring } from './keyring.js';
import { openCipher } from './open-cipher.js';
import { type Foreign, payloadCodec } from './payload-codec.js';
import type { PayloadStore } from './payload-store.js';

/** Encryption of a set-up. */
export interface Encryption {
  keyring: Keyring;
  /** Cipher for data outside of Temporal. It encrypts regardless of `PROVISIONING_ENCRYPTION`. */
  cipher: Cipher;
  /**
   * Creates the codec between a Temporal namespace and us.
   *
   * @param store of large payloads
   * @param foreign handling of payloads that this set-up did not seal. Default `throw`
   */
  codec(namespace: string, store: PayloadStore, foreign?: Foreign): PayloadCodec;
}

/**
 * Reads the keys of a set-up. New keys are used within a second while the process runs.
 *
 * @throws inputError without any key, or if one cannot be read
 */
export async function openEncryption(home: { encryption: string }, env: NodeJS.ProcessEnv): Promise<Encryption> {
  const encrypt = isEncrypting(env);
  const { keyring, cipher } = await openCipher(home.encryption, env);
  return {
    keyring,
    cipher,
    codec: (namespace, store, foreign) => payloadCodec({ cipher, store, namespace, encrypt, foreign }),
  };
}

/** Reports whether new payloads are encrypted: always, unless `PROVISIONING_ENCRYPTION=off`. */
export function isEncrypting(env: NodeJS.ProcessEnv): boolean {
  const wanted = env.PROVISIONING_ENCRYPTION || 'on';
  if (wanted === 'on' || wanted === 'off') return wanted === 'on';
  throw inputError({
    code: 'encryption-setting',
    what: 'read PROVISIONING_ENCRYPTION',
    on: wanted,
    why: 'it is neither "on" nor "off"',
  });
}
