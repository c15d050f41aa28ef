import { brotliCompressSync, brotliDecompressSync, constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Payload } from '@temporalio/common';
import { bugError } from '../core/errors.js';

/** Below this, in bytes, compressing costs more than it saves. */
const WORTH_COMPRESSING = 512;
/** What a payload may grow to when it is unpacked: far above what Temporal takes, in bytes. */
const MOST = 256 * 1024 * 1024;

/** What has no data comes from protobufjs as an array that is no Uint8Array. */
const NOTHING = new Uint8Array();

const PLAIN = 0;
const DEFLATED = 1;
const BROTLI = 2;

/** Below this, in bytes, a window of 32 KiB sees as much as a larger one. */
const WORTH_A_LARGE_WINDOW = 64 * 1024;
/** A window of 16 MiB: the same step for each of many servers is written once. */
const LARGE_WINDOW = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 3 };

/**
 * A payload as bytes, compressed where that makes it smaller.
 *
 * @param repeats it may be written in the form that makes least of what repeats far away; builds before this form do not read it
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

/** The payload that `encodePayload` made these bytes of. */
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
