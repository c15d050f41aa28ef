import { createHash } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { inputError } from '../core/errors.js';
import type { Cipher } from './cipher.js';
import { bytesOf, payloadOf } from './payload-bytes.js';
import type { PayloadStore } from './payload-store.js';

/** Encrypted bytes beyond this go to the store; history keeps their hash and size. */
export const LARGE = 256 * 1024;
/** Names that Temporal's own samples use, so that tools know what they see. */
const ENCODING = 'encoding';
const KEY_ID = 'encryption-key-id';
const ENCRYPTED = Buffer.from('binary/encrypted');
const STORED = Buffer.from('binary/stored-encrypted');

export interface CodecOptions {
  cipher: Cipher;
  store: PayloadStore;
  /** What is encrypted for one namespace cannot be played back in another. */
  namespace: string;
  /** Default true; without it new payloads are plain, and encrypted ones are still read. */
  encrypt?: boolean;
}

/**
 * What stands between Temporal and everything that this project writes there:
 * payloads are compressed where that helps, encrypted, and put aside when large.
 * What was written before it, in plain text, is read as it is.
 */
export function payloadCodec({ cipher, store, namespace, encrypt = true }: CodecOptions): PayloadCodec {
  const context = `temporal/${namespace}`;

  async function encode(payload: Payload): Promise<Payload> {
    const bytes = bytesOf(payload);
    const keyId = Buffer.from(cipher.keyId);
    if (bytes.length <= LARGE) {
      return { metadata: { [ENCODING]: ENCRYPTED, [KEY_ID]: keyId }, data: cipher.seal(bytes, context) };
    }
    // Passed on from hand to hand, the same payload is kept once.
    const sealed = cipher.sealSame(bytes, context);
    const sha256 = hashOf(sealed);
    await store.put(sha256, sealed);
    const reference = JSON.stringify({ sha256, size: sealed.length });
    return { metadata: { [ENCODING]: STORED, [KEY_ID]: keyId }, data: Buffer.from(reference) };
  }

  async function decode(payload: Payload): Promise<Payload> {
    const encoding = payload.metadata?.[ENCODING];
    const data = payload.data ?? new Uint8Array();
    if (same(encoding, ENCRYPTED)) return payloadOf(await cipher.open(data, context));
    if (same(encoding, STORED)) return payloadOf(await cipher.open(await fetch(data), context));
    return payload;
  }

  async function fetch(reference: Uint8Array): Promise<Uint8Array> {
    const { sha256, size } = JSON.parse(Buffer.from(reference).toString('utf8')) as { sha256: string; size: number };
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw lost(sha256, 'its reference is not a hash');
    const sealed = await store.get(sha256);
    if (!sealed) throw lost(sha256, `its ${size} bytes are not in the store of this set-up`);
    if (sealed.length !== size || hashOf(sealed) !== sha256) throw lost(sha256, 'what the store has is not what was put there');
    return sealed;
  }

  return {
    // Nothing to wait for, as a rule: no payload costs more than its own encryption.
    encode: async (payloads) => (encrypt ? Promise.all(payloads.map(encode)) : payloads),
    decode: async (payloads) => Promise.all(payloads.map(decode)),
  };
}

/** The key that a payload is encrypted with; undefined for one in plain text. Needs no key. */
export function keyIdOfPayload({ metadata }: Payload): string | undefined {
  const encoding = metadata?.[ENCODING];
  if (!same(encoding, ENCRYPTED) && !same(encoding, STORED)) return undefined;
  return Buffer.from(metadata?.[KEY_ID] ?? []).toString('utf8');
}

const same = (a: Uint8Array | null | undefined, b: Buffer): boolean => a != null && b.equals(a);
const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const lost = (sha256: string, why: string) =>
  inputError({
    code: 'payload-missing',
    what: 'read a large payload',
    on: String(sha256).slice(0, 64),
    why,
    hint: 'bring the folder `payloads` of the home along when the home moves',
  });
