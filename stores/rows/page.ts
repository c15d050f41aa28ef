import { inputError } from '../../core/errors.js';
import type { Page } from '../rows.js';
import type { AnyCollection } from './collection.js';

const LIMIT = 100;
const MOST = 1_000;

/** Returns the number of rows on a page. */
export const limitOf = ({ limit = LIMIT }: Page): number => Math.max(1, Math.min(MOST, Math.trunc(limit)));

/** The conditions of a page as pairs. Throws TypeError for a column that has no index. */
export function conditionsOf(collection: AnyCollection, { where = {} }: Page): [string, string][] {
  const indexed: readonly string[] = collection.indexes;
  for (const column of Object.keys(where))
    if (!indexed.includes(column)) throw new TypeError(`${collection.name} has no index of "${column}"`);
  return Object.entries(where);
}

/** Encodes a cursor, whose content only the store interprets. */
export const encodePosition = (position: readonly string[]): string => Buffer.from(JSON.stringify(position)).toString('base64url');

/**
 * Returns the position of a cursor.
 *
 * @param length number of texts in a position of this collection
 * @throws inputError `bad-request` for a text that is not a cursor of this collection
 */
export function decodePosition(cursor: string, collection: AnyCollection, length: number): string[] {
  try {
    const position = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(position) && position.length === length && position.every((text) => typeof text === 'string'))
      return position;
  } catch {
    // Reported below.
  }
  const why = 'the cursor does not belong to this list';
  throw inputError({ code: 'bad-request', what: 'list rows', on: collection.name, why, hint: 'list from the beginning' });
}
