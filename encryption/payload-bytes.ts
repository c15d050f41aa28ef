import { brotliCompressSync, brotliDecompressSync, constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Payload } from '@temporalio/common';
import { bugError } from '../core/errors.js';

/** Minimum size for compression, in bytes: below it, compression costs more than it saves. */
const WORTH_COMPRESSING = 512;
/** Maximum size of an unpacked payload in bytes, far above Temporal's limit. */
const MOST = 256 * 1024 * 1024;

/** protobufjs represents missing data as an array that is not a Uint8Array. */
const NOTHING = new Uint8Array();

const PLAIN = 0;
const DEFLATED = 1;
const BROTLI = 2;

/** Below this size in bytes, a window of 32 KiB is as good as a larger one. */
const WORTH_A_LARGE_WINDOW = 64 * 1024;
/** Window of 16 MiB: equal steps for many servers are written once. */
const LARGE_WINDOW = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 3 };

/**
 * Encodes a payload as bytes, compressed if that makes it smaller.
 *
 * @param repeats allows the form that compresses distant repetitions, which older builds cannot read
 */
export function encodePayload({ metadata, data }: Payload, repeats = false): Buffer {
  const parts: Uint8Array[] = [];
  const entries = Object.entries(metadata ?? {});
  for (const [name, value] of entries) {
    const title = Buffer.from(name, 'utf8');
    const sizes = Buffer.alloc(4);
    sizes.writeUInt16BE(title.length, 0);
    sizes.writeUInt16BE(value.length, 2);
    parts.push(sizes, title, value);
  }
  const body = Buffer.concat([Uint8Array.of(PLAIN, entries.length), ...parts, data?.length ? data : NOTHING]);
  if (body.length < WORTH_COMPRESSING) return body;
  const brotli = repeats && body.length >= WORTH_A_LARGE_WINDOW;
  const packed = brotli
    ? brotliCompressSync(body.subarray(1), { params: { ...LARGE_WINDOW, [constants.BROTLI_PARAM_SIZE_HINT]: body.length } })
    : deflateRawSync(body.subarray(1), { level: constants.Z_BEST_SPEED });
  return packed.length + 1 < body.length ? Buffer.concat([Uint8Array.of(brotli ? BROTLI : DEFLATED), packed]) : body;
}

/** Decodes the bytes from `encodePayload`. */
export function decodePayload(bytes: Buffer): Payload {
  const body = unpacked(bytes);
  const metadata: Record<string, Uint8Array> = {};
  let at = 1;
  for (let left = body.readUInt8(0); left > 0; left--) {
    const title = at + 4;
    const value = title + body.readUInt16BE(at);
    const end = value + body.readUInt16BE(at + 2);
    metadata[body.toString('utf8', title, value)] = body.subarray(value, end);
    at = end;
  }
  return { metadata, data: body.subarray(at) };
}

function unpacked(bytes: Buffer): Buffer {
  const [form] = bytes;
  const rest = bytes.subarray(1);
  if (form === PLAIN) return rest;
  if (form === DEFLATED) return inflateRawSync(rest, { maxOutputLength: MOST });
  if (form === BROTLI) return brotliDecompressSync(rest, { maxOutputLength: MOST });
  throw bugError({ code: 'payload-form', what: 'read a payload', why: `the format ${form} belongs to a newer version` });
}
