import type { PayloadCodec } from '@temporalio/common';
import { inputError } from '../core/errors.js';
import type { Cipher } from './cipher.js';
import type { Keyring } from './keyring.js';
import { openCipher } from './open-cipher.js';
import { type Foreign, payloadCodec } from './payload-codec.js';
import type { PayloadStore } from './payload-store.js';

/** Encryption as a set-up has it. */
export interface Encryption {
  keyring: Keyring;
  /** For what is kept elsewhere than in Temporal: encrypts whatever `PROVISIONING_ENCRYPTION` says. */
  cipher: Cipher;
  /**
   * Between Temporal's namespace and us.
   *
   * @param store of large payloads
   * @param foreign what becomes of what this set-up did not seal; default `throw`
   */
  codec(namespace: string, store: PayloadStore, foreign?: Foreign): PayloadCodec;
}

/**
 * Reads the keys of a set-up, and takes up new ones within a second for as long as the process lives.
 *
 * @throws inputError where there is none, or one cannot be read
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

/** Whether new payloads are encrypted: always, unless `PROVISIONING_ENCRYPTION=off`. */
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
