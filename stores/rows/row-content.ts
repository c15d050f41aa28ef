import { bugError, inputError, messageOf } from '../../core/errors.js';
import type { Cipher } from '../../encryption/cipher.js';
import { type AnyCollection, columnsOf, keyOf } from './collection.js';

/** Returns the cipher for rows, with the present keys. */
export type RowSealer = () => Promise<Pick<Cipher, 'seal' | 'open'>>;

/** A row as the database has it: columns to select by, and all of it as bytes. */
export interface StoredRow {
  columns: Record<string, string | null>;
  content: Buffer;
}

/** Format of a collection's rows in a database. */
export interface RowContent {
  /** @throws bugError `store-failed` for a row that the collection's schema refuses */
  encode(row: object): Promise<StoredRow>;
  /** @throws inputError `sealed-altered` if the database has other columns than the sealed row */
  // biome-ignore lint/suspicious/noExplicitAny: the schema of the collection says what it is
  decode(found: Record<string, unknown>): Promise<any>;
}

/** Creates the format of a collection's rows in a database: a sealed row opens only for its collection and key. */
export function rowContent(collection: AnyCollection, sealer: RowSealer): RowContent {
  const contextOf = (columns: Record<string, unknown>) =>
    JSON.stringify(['row', collection.name, ...keyOf(collection).map((column) => columns[column])]);
  return {
    async encode(row) {
      const judged = parsed(collection, row, 'write a row');
      const texts = judged as Record<string, string | undefined>;
      const columns = Object.fromEntries(columnsOf(collection).map((column) => [column, texts[column] ?? null]));
      const plain = Buffer.from(JSON.stringify(judged));
      return { columns, content: collection.sealed ? (await sealer()).seal(plain, contextOf(columns)) : plain };
    },
    async decode(found) {
      // An embedded database answers with an ArrayBuffer, PostgreSQL with a Buffer.
      const content = Buffer.from(found.content as ArrayBuffer);
      const plain = collection.sealed ? await (await sealer()).open(content, contextOf(found)) : content;
      const row = parsed(collection, JSON.parse(plain.toString('utf8')), 'read a row') as Record<string, string | undefined>;
      const other = columnsOf(collection).find((column) => (row[column] ?? null) !== found[column]);
      if (other) throw altered(collection, other);
      return row;
    },
  };
}

function parsed(collection: AnyCollection, row: unknown, what: string): object {
  try {
    return collection.row.parse(row);
  } catch (error) {
    const why = messageOf(error).replace(/\s+/g, ' ').slice(0, 400);
    throw bugError({ code: 'store-failed', what, on: collection.name, why }, { cause: error });
  }
}

const altered = (collection: AnyCollection, column: string) =>
  inputError({
    code: 'sealed-altered',
    what: 'read a row',
    on: collection.name,
    why: `its column "${column}" was changed in the database`,
    hint: 'restore the database from a backup',
  });
