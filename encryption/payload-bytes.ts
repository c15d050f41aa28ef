import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
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

/** A payload as bytes, compressed where that makes it smaller. */
export function bytesOf({ metadata, data }: Payload): Buffer {
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
  const packed = deflateRawSync(body.subarray(1), { level: constants.Z_BEST_SPEED });
  return packed.length + 1 < body.length ? Buffer.concat([Uint8Array.of(DEFLATED), packed]) : body;
}

/** The payload that `bytesOf` made these bytes of. */
export function payloadOf(bytes: Buffer): Payload {
  const form = bytes[0];
  if (form !== PLAIN && form !== DEFLATED) {
    throw bugError({ code: 'payload-form', what: 'read a payload', why: `form ${form} is not known: it is of a newer version` });
  }
  const body = form === DEFLATED ? inflateRawSync(bytes.subarray(1), { maxOutputLength: MOST }) : bytes.subarray(1);
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
