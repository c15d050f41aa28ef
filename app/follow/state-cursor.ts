import { createHash } from 'node:crypto';
import * as z from 'zod';
import { canonical } from '../../core/encoding/hash.js';
import { badCursor } from '../lists/bad-cursor.js';

/** The `after` parameter of a state stream. */
export const stateCursor = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('The cursor of the last known event: a stream that begins with the same state skips it');

/** Cached texts of rows: two consecutive states with thousands of rows differ in a few. */
const texts = new WeakMap<object, string>();

/** Returns the digest that identifies a state on any instance: the SHA-256 of its canonical JSON, in 43 characters. */
export function digestState(state: object): string {
  const entries = Object.entries(state).filter(([, value]) => value !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = entries.map(([key, value]) => {
    const text = Array.isArray(value) ? `[${value.map(rowText).join(',')}]` : canonical(value);
    return `${JSON.stringify(key)}:${text}`;
  });
  return digestText(`{${parts.join(',')}}`);
}

/** The same of a text. */
export const digestText = (text: string): string => createHash('sha256').update(text).digest('base64url');

function rowText(row: unknown): string {
  if (typeof row !== 'object' || row === null) return canonical(row);
  const known = texts.get(row);
  if (known !== undefined) return known;
  const text = canonical(row);
  texts.set(row, text);
  return text;
}

/**
 * Yields the events of a state stream without those that the caller has. It can skip only the first state: a former
 * state that comes back later is new.
 *
 * @param states the events of each state, in order
 * @param after the cursor of the last event that the caller has
 * @throws inputError `bad-cursor`
 */
export async function* skipKnown<Event extends { cursor?: string | undefined }>(
  states: AsyncIterable<readonly Event[]>,
  after: string | undefined,
): AsyncGenerator<Event> {
  if (after !== undefined && !/^[\w-]{43}$/.test(after)) throw badCursor('the text is not a cursor');
  let isAtBeginning = after !== undefined;
  for await (const events of states) {
    const known = isAtBeginning ? events.findIndex(({ cursor }) => cursor === after) : -1;
    for (const event of events.slice(known + 1)) {
      isAtBeginning = false;
      yield event;
    }
  }
}
