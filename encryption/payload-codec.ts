import { createHash } from 'node:crypto';
import { defaultPayloadConverter, type Payload, type PayloadCodec, type SerializationContext } from '@temporalio/common';
import { createRefusal, REFUSALS, type Refusal } from '../core/encoding/sealed-message.js';
import { isUnkept, markKept } from '../core/encoding/unkept.js';
import { inputError, ProvisioningError } from '../core/errors.js';
import type { Cipher } from './cipher.js';
import { decodePayload, encodePayload } from './payload-bytes.js';
import type { PayloadStore } from './payload-store.js';

/** Encrypted bytes above this size go to the store; the history has their hash and size. */
export const LARGE = 256 * 1024;

/**
 * Maximum encrypted bytes of a payload that must not go to the store. Temporal accepts 2 MiB including the message
 * around it.
 */
export const MOST_UNKEPT = 2 * 1024 * 1024 - 64 * 1024;

/** Names from Temporal's own samples, which tools recognize. */
const ENCODING = 'encoding';
const KEY_ID = 'encryption-key-id';
/**
 * Owner of the payload (`placeOf`), authenticated. Absent if it was sealed before payloads were bound to their place.
 */
const PLACE = 'encryption-place';
/** Attestation of a new key by older keys. */
const VOUCHED = 'encryption-key-vouched';
const ENCRYPTED = Buffer.from('binary/encrypted');
const STORED = Buffer.from('binary/stored-encrypted');

/**
 * Handling of a payload that this set-up did not seal for its present place.
 *
 * - `mark`: a mark replaces it, which interceptors refuse. An error would fail each retry of the receiving workflow's
 *   task.
 * - `throw`: the error `sealed-refused`.
 * - `show`: it is shown unchanged, only for people. Nothing acts on such values.
 */
export type Foreign = 'mark' | 'throw' | 'show';

export interface CodecOptions {
  cipher: Cipher;
  store: Pick<PayloadStore, 'put' | 'get'>;
  /** Payloads that were encrypted for one namespace cannot be replayed in another. */
  namespace: string;
  /** Default true. Without it new payloads are plain, plain ones are accepted, and encrypted ones are still read. */
  encrypt?: boolean;
  /** Default `throw`. */
  foreign?: Foreign;
}

/**
 * Creates the codec between Temporal and everything that this project writes there. It compresses payloads if useful,
 * seals them for their workflow or activity, and moves large ones to the store. Queries and their answers (`unkept`)
 * are in no history and never go to the store; if they are too large, a mark replaces them.
 *
 * Missing keys and missing large payloads are retryable errors, if the payload is known to be ours.
 */
export function payloadCodec({ cipher, store, namespace, encrypt = true, foreign = 'throw' }: CodecOptions): PayloadCodec {
  // A large payload that is passed on is stored once: only the reference to it is bound to a place.
  const inStore = storedContext(namespace);

  async function encode(payload: Payload, place: string): Promise<Payload> {
    if (isUnkept(payload)) return encodeUnkept(markKept(payload), place);
    const bytes = encodePayload(payload);
    const metadata = metadataFor(place);
    if (bytes.length <= LARGE) return { metadata, data: cipher.seal(bytes, boundTo(namespace, place)) };
    const sealed = cipher.sealSame(bytes, inStore);
    const sha256 = hashOf(sealed);
    await store.put(sha256, sealed);
    const reference = Buffer.from(JSON.stringify({ sha256, size: sealed.length }));
    return { metadata: { ...metadata, [ENCODING]: STORED }, data: cipher.seal(reference, referenceTo(namespace, place)) };
  }

  function encodeUnkept(payload: Payload, place: string): Payload {
    const whole = encodePayload(payload, true);
    // An error here would fail the task of the queried workflow.
    const bytes =
      whole.length <= MOST_UNKEPT ? whole : encodePayload(defaultPayloadConverter.toPayload(createRefusal('too-large')));
    return { metadata: metadataFor(place), data: cipher.seal(bytes, boundTo(namespace, place)) };
  }

  function metadataFor(place: string): Record<string, Uint8Array> {
    const vouched = cipher.vouched();
    return {
      [ENCODING]: ENCRYPTED,
      [KEY_ID]: Buffer.from(cipher.keyId),
      [PLACE]: Buffer.from(place),
      ...(vouched ? { [VOUCHED]: Buffer.from(vouched) } : {}),
    };
  }

  async function decode(payload: Payload, context: SerializationContext | undefined): Promise<Payload> {
    const encoding = payload.metadata?.[ENCODING];
    const stored = same(encoding, STORED);
    if (!stored && !same(encoding, ENCRYPTED)) return encrypt ? answerFor('not-sealed', payload) : payload;
    const marked = payload.metadata?.[PLACE];
    if (!marked) return foreign === 'show' ? former(payload, stored) : answerFor('not-sealed', payload);
    const place = Buffer.from(marked).toString('utf8');
    // A codec for display does not know the place. All others do, and the empty place has no owner.
    if (foreign !== 'show' && place !== placeOf(context)) return answerFor('not-for-this', payload);
    const opened = await openFor(payload, stored ? referenceTo(namespace, place) : boundTo(namespace, place));
    if (typeof opened === 'string') return answerFor(opened, payload);
    return decodePayload(stored ? await cipher.open(await fetch(opened), inStore) : opened);
  }

  /** Opens data sealed for this context; returns the reason if it is foreign. */
  async function openFor({ metadata, data }: Payload, context: string): Promise<Buffer | Refusal> {
    try {
      return await cipher.open(data ?? new Uint8Array(), context);
    } catch (error) {
      // For display, the original error explains the reason.
      if (!(error instanceof ProvisioningError) || foreign === 'show') throw error;
      if (error.details.code !== 'unknown-encryption-key') return 'not-for-this';
      // Any sender can name an unknown key. If our own keys attest it, the key will arrive: the error is then retried.
      if (foreign !== 'mark' || cipher.vouchesFor(Buffer.from(metadata?.[VOUCHED] ?? []).toString('utf8'), data)) throw error;
      return 'unknown-key';
    }
  }

  /** Opens, for display, a payload from before payloads were bound to their place. */
  async function former(payload: Payload, stored: boolean): Promise<Payload> {
    const context = formerContext(namespace);
    const data = payload.data ?? new Uint8Array();
    return decodePayload(await cipher.open(stored ? await fetch(data) : data, context));
  }

  async function fetch(reference: Uint8Array): Promise<Uint8Array> {
    const { sha256, size } = JSON.parse(Buffer.from(reference).toString('utf8')) as { sha256: string; size: number };
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw lost(sha256, 'its reference is not a hash');
    const sealed = await store.get(sha256);
    if (!sealed) throw lost(sha256, `its ${size} bytes are not in the store of this set-up`);
    if (sealed.length !== size || hashOf(sealed) !== sha256) throw lost(sha256, 'what the store has is not what was put there');
    return sealed;
  }

  function answerFor(why: Refusal, payload: Payload): Payload {
    if (foreign === 'show') return payload;
    if (foreign === 'mark') return defaultPayloadConverter.toPayload(createRefusal(why));
    throw inputError({
      code: 'sealed-refused',
      what: 'read what Temporal answered',
      why: REFUSALS[why],
      hint: 'it comes from a former version of this platform, or from another program: docs/operate/security.md',
    });
  }

  return {
    // Usually synchronous: a payload only costs its own encryption.
    encode: async (payloads, context) =>
      encrypt ? Promise.all(payloads.map((payload) => encode(payload, placeOf(context)))) : payloads,
    decode: async (payloads, context) => Promise.all(payloads.map((payload) => decode(payload, context))),
  };
}

/** Returns the id of the key that encrypted a payload; undefined for plain text. Needs no key. */
export function keyIdOfPayload({ metadata }: Payload): string | undefined {
  const encoding = metadata?.[ENCODING];
  if (!same(encoding, ENCRYPTED) && !same(encoding, STORED)) return undefined;
  return Buffer.from(metadata?.[KEY_ID] ?? []).toString('utf8');
}

/** Reports whether a payload names its place, or is marked as plain on purpose. Needs no key. */
export const isBound = ({ metadata }: Payload): boolean => metadata?.[PLACE] != null;

/**
 * Returns the SHA-256 of a payload's data in the store; undefined if the payload is complete, or no key opens it.
 *
 * @throws inputError `unknown-encryption-key`, and what the source of the keys throws
 */
export async function referenceIn({ metadata, data }: Payload, cipher: Cipher, namespace: string): Promise<string | undefined> {
  if (!same(metadata?.[ENCODING], STORED)) return undefined;
  const place = metadata?.[PLACE] && Buffer.from(metadata[PLACE]).toString('utf8');
  try {
    const text = place === undefined ? data : await cipher.open(data ?? NONE, referenceTo(namespace, place));
    const reference = JSON.parse(Buffer.from(text ?? NONE).toString('utf8')) as { sha256?: unknown } | null;
    return typeof reference?.sha256 === 'string' ? reference.sha256 : undefined;
  } catch (error) {
    // Other errors are our own faults: a sweep must not treat them as "no reference".
    if (isNoReference(error)) return undefined;
    throw error;
  }
}

/** Reports whether an error means that, with all our keys, the payload contains no reference. */
const isNoReference = (error: unknown): boolean =>
  error instanceof SyntaxError ||
  (error instanceof ProvisioningError && ['sealed-altered', 'not-sealed'].includes(error.details.code));

/** Yields every payload in a Temporal response, at any depth. */
export function* payloadsIn(value: unknown): Generator<Payload> {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  if ('metadata' in value && typeof value.metadata === 'object' && value.metadata && ENCODING in value.metadata)
    yield value as Payload;
  else for (const each of Object.values(value)) yield* payloadsIn(each);
}

/**
 * Opens stored data of this namespace, for checks only.
 *
 * @throws inputError as the cipher does
 */
export async function openStored(cipher: Cipher, namespace: string, sealed: Uint8Array): Promise<Buffer> {
  try {
    return await cipher.open(sealed, storedContext(namespace));
  } catch (error) {
    if (!(error instanceof ProvisioningError) || error.details.code !== 'sealed-altered') throw error;
    // Stored before payloads were bound to their place.
    return cipher.open(sealed, formerContext(namespace));
  }
}

const NONE = new Uint8Array();
const boundTo = (namespace: string, place: string): string => `temporal/2/${namespace}\n${place}`;
const referenceTo = (namespace: string, place: string): string => `${boundTo(namespace, place)}\nreference`;
const storedContext = (namespace: string): string => `temporal/2/${namespace}\nstored`;
const formerContext = (namespace: string): string => `temporal/${namespace}`;

const same = (a: Uint8Array | null | undefined, b: Buffer): boolean => a != null && b.equals(a);
const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const lost = (sha256: string, why: string) =>
  inputError({
    code: 'payload-missing',
    what: 'read a large payload',
    on: String(sha256).slice(0, 64),
    why,
    hint: 'move the folder `payloads` together with the home',
  });

/**
 * Returns the owner of a payload as text: a workflow, or one of its activities. Data sealed for one place opens in no
 * other. Empty without an owner: the failure of a workflow task, which only people read.
 */
export function placeOf(context: SerializationContext | undefined): string {
  if (!context) return '';
  if (context.type === 'workflow') return JSON.stringify(['workflow', context.workflowId]);
  return JSON.stringify(['activity', context.workflowId ?? '', context.activityId ?? '']);
}
