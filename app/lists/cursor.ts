import { createHash } from 'node:crypto';
import * as z from 'zod';
import { badCursor } from './bad-cursor.js';
import { CURSOR_LENGTH } from './page.js';

/** Scope of a cursor: its method and the parameters of its list. */
export type ListScope = readonly unknown[];

/** Encodes a cursor that any instance can read. It contains all its data, so nothing is stored for it. */
export const encodeCursor = (scope: ListScope, place: unknown): string =>
  Buffer.from(JSON.stringify([tagOf(scope), place])).toString('base64url');

/**
 * Returns the place in a cursor; undefined without a cursor.
 *
 * @throws inputError `bad-cursor` for a cursor of another list
 */
export function decodeCursor<Place extends z.ZodType>(
  scope: ListScope,
  cursor: string | undefined,
  place: Place,
): z.output<Place> | undefined {
  if (cursor === undefined) return undefined;
  const read = z.tuple([z.string(), place]).safeParse(jsonIn(cursor));
  if (!read.success) throw badCursor('the text is not a cursor');
  if (read.data[0] !== tagOf(scope)) throw badCursor('the cursor belongs to another list');
  return read.data[1] as z.output<Place>;
}

function jsonIn(cursor: string): unknown {
  const bytes = Buffer.from(cursor, 'base64url');
  if (cursor.length > CURSOR_LENGTH || bytes.toString('base64url') !== cursor) return undefined;
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

const tagOf = (scope: ListScope): string => createHash('sha256').update(JSON.stringify(scope)).digest('base64url').slice(0, 12);
