import { createCipheriv, createDecipheriv, createHmac, randomFillSync, timingSafeEqual } from 'node:crypto';
import { bugError, inputError, messageOf, ProvisioningError } from '../core/errors.js';
import type { EncryptionKey, Keyring } from './keyring.js';

/** AES-256-GCM. Nonces have 96 bits and tags 128, as NIST SP 800-38D recommends. */
const ALGORITHM = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;
const VERSION = 1;
/** Maximum number of former keys that vouch for the current one. */
const VOUCHERS = 3;

/**
 * Cipher that seals bytes: only holders of the key can read them, and changes or another context are detected. The id
 * of the key is at the front, in plain text.
 */
export interface Cipher {
  /** Id of the key that seals now. */
  readonly keyId: string;
  /** @param context kind and owner of the bytes; the same text is required to open them */
  seal(plain: Uint8Array, context: string): Buffer;
  /** Like `seal`, but equal bytes give equal results, so that they are stored once. Reveals only equality. */
  sealSame(plain: Uint8Array, context: string): Buffer;
  /**
   * Opens sealed bytes. Reads the key source again for an unknown key.
   *
   * @throws inputError `unknown-encryption-key`, `sealed-altered`
   */
  open(sealed: Uint8Array, context: string): Promise<Buffer>;
  /**
   * Returns what the other keys attest about the current one, for readers without it; empty if there is no other key.
   */
  vouched(): string;
  /** Reports whether one of our keys attests that the unknown key of these bytes belongs to us. */
  vouchesFor(vouched: string, sealed: Uint8Array | null | undefined): boolean;
}

/** Creates the cipher of a keyring. */
export function createCipher(keyring: Keyring): Cipher {
  let known: { current: EncryptionKey | undefined; others: number; text: string } | undefined;
  return {
    get keyId() {
      return keyring.current().id;
    },
    seal: (plain, context) => sealWith(keyring.current(), freshNonce(), plain, context),
    sealSame(plain, context) {
      const key = keyring.current();
      return sealWith(key, nonceFrom(key, plain, context), plain, context);
    },
    async open(sealed, context) {
      const id = keyIdOf(sealed);
      try {
        return openWith(keyring.find(id), sealed, context);
      } catch (error) {
        if (!isUnknownKey(error)) throw error;
        await keyring.refresh();
        return openWith(keyring.find(id), sealed, context);
      }
    },
    vouched() {
      const [current, ...others] = keyring.list();
      if (known?.current !== current || known?.others !== others.length) {
        const words = others.slice(0, VOUCHERS).map((key) => `${key.id}:${vouch(key, current?.id ?? '')}`);
        known = { current, others: others.length, text: words.join(',') };
      }
      return known.text;
    },
    vouchesFor(vouched, sealed) {
      const id = keyIdOf(sealed ?? new Uint8Array());
      return vouched.split(',').some((one) => {
        const at = one.lastIndexOf(':');
        const key = keyring.list().find((each) => each.id === one.slice(0, at));
        if (!key) return false;
        const [said, expected] = [Buffer.from(one.slice(at + 1)), Buffer.from(vouch(key, id))];
        return said.length === expected.length && timingSafeEqual(said, expected);
      });
    },
  };
}

const vouch = ({ secret }: EncryptionKey, id: string): string =>
  createHmac('sha256', secret).update('provisioning vouches for key\0').update(id).digest('base64url').slice(0, 22);

/** Returns the id of the key that sealed these bytes. */
export function keyIdOf(sealed: Uint8Array): string {
  const [version, length = 0] = sealed;
  if (version !== VERSION || sealed.length < 2 + length + NONCE + TAG) {
    throw bugError({ code: 'not-sealed', what: 'decrypt the payload', why: 'the bytes do not have the format of this cipher' });
  }
  return Buffer.from(sealed.buffer, sealed.byteOffset + 2, length).toString('utf8');
}

function sealWith({ id, secret }: EncryptionKey, nonce: Uint8Array, plain: Uint8Array, context: string): Buffer {
  const name = Buffer.from(id, 'utf8');
  const header = Buffer.concat([Uint8Array.of(VERSION, name.length), name]);
  const cipher = createCipheriv(ALGORITHM, secret, nonce);
  cipher.setAAD(Buffer.concat([header, Buffer.from(context, 'utf8')]));
  const sealed = cipher.update(plain);
  cipher.final();
  return Buffer.concat([header, nonce, sealed, cipher.getAuthTag()]);
}

function openWith({ id, secret }: EncryptionKey, sealed: Uint8Array, context: string): Buffer {
  const header = 2 + Buffer.byteLength(id);
  const decipher = createDecipheriv(ALGORITHM, secret, sealed.subarray(header, header + NONCE), { authTagLength: TAG });
  decipher.setAAD(Buffer.concat([sealed.subarray(0, header), Buffer.from(context, 'utf8')]));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(header + NONCE, sealed.length - TAG)), decipher.final()]);
  } catch (error) {
    throw inputError(
      {
        code: 'sealed-altered',
        what: 'decrypt the payload',
        on: `key ${id}`,
        why: `the encrypted data was altered or moved, or the key with this id differs (${messageOf(error)})`,
        hint: 'compare the keys of all machines: `provisioning encryption status`',
      },
      { cause: error },
    );
  }
}

const pool = Buffer.alloc(NONCE * 512);
let used = pool.length;

/** Requests random bytes for many nonces at a time: each call costs as much as sealing a small payload. */
function freshNonce(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += NONCE;
  return pool.subarray(used - NONCE, used);
}

/** Derives a nonce that is unique to these bytes in this context, with a separate key. */
function nonceFrom({ secret }: EncryptionKey, plain: Uint8Array, context: string): Uint8Array {
  const key = createHmac('sha256', secret).update('provisioning synthetic nonce').digest();
  return createHmac('sha256', key).update(context).update('\0').update(plain).digest().subarray(0, NONCE);
}

const isUnknownKey = (error: unknown): boolean =>
  error instanceof ProvisioningError && error.details.code === 'unknown-encryption-key';
