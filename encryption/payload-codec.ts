import { createHash } from 'node:crypto';
import { defaultPayloadConverter, type Payload, type PayloadCodec, type SerializationContext } from '@temporalio/common';
import { createRefusal, REFUSALS, type Refusal } from '../core/encoding/sealed-message.js';
import { isUnkept, markKept } from '../core/encoding/unkept.js';
import { inputError, ProvisioningError } from '../core/errors.js';
import type { Cipher } from './cipher.js';
import { decodePayload, encodePayload } from './payload-bytes.js';
import type { PayloadStore } from './payload-store.js';

/** Encrypted bytes beyond this go to the store; history keeps their hash and size. */
export const LARGE = 256 * 1024;

/** Encrypted bytes beyond this are not sent at all where they may not go to the store: Temporal takes 2 MiB, what stands around them included. */
export const MOST_UNKEPT = 2 * 1024 * 1024 - 64 * 1024;

/** Names that Temporal's own samples use, so that tools know what they see. */
const ENCODING = 'encoding';
const KEY_ID = 'encryption-key-id';
/** Whose it is (`placeOf`); part of what is authenticated. Without it: sealed before payloads were bound to their place. */
const PLACE = 'encryption-place';
/** What older keys say of a new one. */
const VOUCHED = 'encryption-key-vouched';
const ENCRYPTED = Buffer.from('binary/encrypted');
const STORED = Buffer.from('binary/stored-encrypted');

/**
 * What becomes of a payload that this set-up did not seal for the place where it turns up.
 *
 * - `mark`: a mark stands in its place, which interceptors refuse. An error would
 *   fail the turn of the workflow that was sent it, at every retry, for good.
 * - `throw`: the error `sealed-refused`.
 * - `show`: it is shown as it is. For people's eyes: what is read so is not acted upon.
 */
export type Foreign = 'mark' | 'throw' | 'show';

export interface CodecOptions {
  cipher: Cipher;
  store: Pick<PayloadStore, 'put' | 'get'>;
  /** What is encrypted for one namespace cannot be played back in another. */
  namespace: string;
  /** Default true; without it new payloads are plain, plain ones are taken, and encrypted ones are still read. */
  encrypt?: boolean;
  /** Default `throw`. */
  foreign?: Foreign;
}

/**
 * What stands between Temporal and everything that this project writes there:
 * payloads are compressed where that helps, sealed for the workflow or activity
 * that they are of, and put aside when large. What a query asks and is answered
 * (`unkept`) is in no history, and never put aside: too large, it is a mark that says so.
 *
 * Missing keys and missing large payloads are errors, to be tried again, where
 * the payload is known to be ours.
 */
export function payloadCodec({ cipher, store, namespace, encrypt = true, foreign = 'throw' }: CodecOptions): PayloadCodec {
  // Passed on from hand to hand, the same large payload is kept once: only what refers to it is bound.
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
    // An error here would fail the turn of the workflow that is asked.
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
    // Who only shows is not told whose it is; all others are, and the empty place is nobody's.
    if (foreign !== 'show' && place !== placeOf(context)) return answerFor('not-for-this', payload);
    const opened = await openFor(payload, stored ? referenceTo(namespace, place) : boundTo(namespace, place));
    if (typeof opened === 'string') return answerFor(opened, payload);
    return decodePayload(stored ? await cipher.open(await fetch(opened), inStore) : opened);
  }

  /** Opens what is said to be sealed for this context; answers why it is none of ours. */
  async function openFor({ metadata, data }: Payload, context: string): Promise<Buffer | Refusal> {
    try {
      return await cipher.open(data ?? new Uint8Array(), context);
    } catch (error) {
      // People are told why.
      if (!(error instanceof ProvisioningError) || foreign === 'show') throw error;
      if (error.details.code !== 'unknown-encryption-key') return 'not-for-this';
      // Any sender can name a key that nobody has. One that our own keys vouch for will come: it is waited for.
      if (foreign !== 'mark' || cipher.vouchesFor(Buffer.from(metadata?.[VOUCHED] ?? []).toString('utf8'), data)) throw error;
      return 'unknown-key';
    }
  }

  /** What was sealed before payloads were bound to their place, for display. */
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
    // Nothing to wait for, as a rule: no payload costs more than its own encryption.
    encode: async (payloads, context) =>
      encrypt ? Promise.all(payloads.map((payload) => encode(payload, placeOf(context)))) : payloads,
    decode: async (payloads, context) => Promise.all(payloads.map((payload) => decode(payload, context))),
  };
}

/** The key that a payload is encrypted with; undefined for one in plain text. Needs no key. */
export function keyIdOfPayload({ metadata }: Payload): string | undefined {
  const encoding = metadata?.[ENCODING];
  if (!same(encoding, ENCRYPTED) && !same(encoding, STORED)) return undefined;
  return Buffer.from(metadata?.[KEY_ID] ?? []).toString('utf8');
}

/** Whether a payload says whose it is, as all do since payloads are bound to their place; or is said to be plain on purpose. Needs no key. */
export const isBound = ({ metadata }: Payload): boolean => metadata?.[PLACE] != null;

/**
 * The SHA-256 of what a payload of a history refers to in the store; undefined for one that has all with it, or
 * that nobody could open.
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
    // Anything else is a fault of ours: who deletes what nothing refers to must not take it for an answer.
    if (isNoReference(error)) return undefined;
    throw error;
  }
}

/** Whether an error says that with all our keys nothing is there that refers to anything. */
const isNoReference = (error: unknown): boolean =>
  error instanceof SyntaxError ||
  (error instanceof ProvisioningError && ['sealed-altered', 'not-sealed'].includes(error.details.code));

/** Every payload in what Temporal answers, wherever it stands. */
export function* payloadsIn(value: unknown): Generator<Payload> {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  if ('metadata' in value && typeof value.metadata === 'object' && value.metadata && ENCODING in value.metadata)
    yield value as Payload;
  else for (const each of Object.values(value)) yield* payloadsIn(each);
}

/**
 * Opens what the store keeps of a payload of this namespace; for checks, nothing is done with what it says.
 *
 * @throws inputError as the cipher does
 */
export async function openStored(cipher: Cipher, namespace: string, sealed: Uint8Array): Promise<Buffer> {
  try {
    return await cipher.open(sealed, storedContext(namespace));
  } catch (error) {
    if (!(error instanceof ProvisioningError) || error.details.code !== 'sealed-altered') throw error;
    // Kept before payloads were bound to their place.
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
 * Whose payload it is, as text: of a workflow, or of one of its activities. What
 * is sealed for one place opens in no other. Empty for what belongs to nobody:
 * the failure of a workflow's task, which only people read.
 */
export function placeOf(context: SerializationContext | undefined): string {
  if (!context) return '';
  if (context.type === 'workflow') return JSON.stringify(['workflow', context.workflowId]);
  return JSON.stringify(['activity', context.workflowId ?? '', context.activityId ?? '']);
}
