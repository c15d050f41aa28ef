import { createHash } from 'node:crypto';
import * as z from 'zod';
import { canonical } from '../../core/encoding/hash.js';
import { badCursor } from '../lists/bad-cursor.js';

/** The `after` of a stream of states. */
export const stateCursor = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('The cursor of the last known event: a stream that begins with the same state skips it');

/** The texts of rows: a state of thousands of rows differs from the one before in a few. */
const texts = new WeakMap<object, string>();

/** What tells a state from all others, on any instance: the SHA-256 of its canonical JSON, in 43 characters. */
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
 * The events of a stream of states without those that the caller has. Only its beginning can be known: a state that
 * comes back later is news.
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
