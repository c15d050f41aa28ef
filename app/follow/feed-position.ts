import { createHash } from 'node:crypto';
import type { FeedHead } from '../../stores/feeds.js';
import { badCursor } from '../lists/bad-cursor.js';

/** Position in the feeds of a scope: the last sequence of each infra's lives, by `lifeKey`. */
export type FeedPosition = ReadonlyMap<string, number>;

/** Characters of a cursor, at most: some 6,000 lives of infras. */
export const CURSOR_LENGTH = 65_536;

const FORM = 1;
const SCOPE_BYTES = 8;
const KEY_BYTES = 6;

/** Returns the key of a life in a cursor. */
export const lifeKey = ({ infra, uuid }: Pick<FeedHead, 'infra' | 'uuid'>): string =>
  hashOf(infra, uuid).subarray(0, KEY_BYTES).toString('hex');

/** Encodes a cursor that any instance can read. It contains all its data, so nothing is stored for it. */
export function cursorOfPosition(scope: string, position: FeedPosition): string {
  const parts: Buffer[] = [Buffer.from([FORM]), scopeBytes(scope)];
  for (const [key, sequence] of [...position].sort(([a], [b]) => (a < b ? -1 : 1)))
    parts.push(Buffer.from(key, 'hex'), numberBytes(sequence));
  return Buffer.concat(parts).toString('base64url');
}

/**
 * Decodes a cursor.
 *
 * @throws inputError `bad-cursor` for a cursor of another scope
 */
export function positionOfCursor(scope: string, cursor: string): FeedPosition {
  const bytes = Buffer.from(cursor, 'base64url');
  // Only canonical texts are accepted, because the decoder is lenient.
  if (cursor.length > CURSOR_LENGTH || bytes.toString('base64url') !== cursor || bytes[0] !== FORM) throw badCursor(NO_CURSOR);
  let at = 1 + SCOPE_BYTES;
  if (!bytes.subarray(1, at).equals(scopeBytes(scope))) throw badCursor('the cursor belongs to another stream');
  const position = new Map<string, number>();
  for (let former = ''; at < bytes.length; ) {
    const key = bytes.subarray(at, at + KEY_BYTES).toString('hex');
    const { value, next } = numberAt(bytes, at + KEY_BYTES);
    if (key <= former || !Number.isSafeInteger(value) || value < 1) throw badCursor(NO_CURSOR);
    position.set(key, value);
    former = key;
    at = next;
  }
  return position;
}

const NO_CURSOR = 'the text is not a cursor';

const hashOf = (...texts: string[]) => createHash('sha256').update(JSON.stringify(texts)).digest();
const scopeBytes = (scope: string) => hashOf(scope).subarray(0, SCOPE_BYTES);

/** Seven bits a byte, the lowest first. */
function numberBytes(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

function numberAt(bytes: Buffer, from: number): { value: number; next: number } {
  let value = 0;
  for (let at = from; at < from + 8; at++) {
    const byte = bytes[at];
    if (byte === undefined) break;
    value += (byte % 128) * 128 ** (at - from);
    if (byte < 128) return { value, next: at + 1 };
  }
  throw badCursor(NO_CURSOR);
}
