import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { RevisedRow, RowTable } from '../rows.js';
import type { TableCollection } from './collection.js';
import { conditionsOf, decodePosition, encodePosition, limitOf } from './page.js';
import { createSortedRows } from './projections/sorted-rows.js';
import { type RowSealer, rowContent } from './row-content.js';
import type { RowDatabase } from './row-database.js';

type Found = Record<string, unknown> & { revision: string };

/** Rows by keys. A revision is drawn for each change, so that a statement that was repeated is known by it. */
export function rowTable<Row extends object, Key extends string>(
  database: RowDatabase,
  collection: TableCollection<Row, Key>,
  sealer: RowSealer,
): RowTable<Row, Key> & { keep(row: Row, revision: string): Promise<void> } {
  const { name, key } = collection;
  const { queries } = database;
  const content = rowContent(collection, sealer);
  const revised = async (found: Found): Promise<RevisedRow<Row>> => ({
    row: await content.decode(found),
    revision: found.revision,
  });
  const at = (of: Readonly<Record<string, unknown>>) => Object.fromEntries(key.map((column) => [column, of[column]]));

  async function put(row: Row, revision: string): Promise<void> {
    const { columns, content: bytes } = await content.encode(row);
    const values = { ...columns, revision, content: bytes };
    const query = queries
      .insertInto(name)
      .values(values)
      .onConflict((conflict) => conflict.columns([...key]).doUpdateSet(values))
      .returning('revision');
    await database.run('write a row', query.compile());
  }

  return {
    async get(of) {
      const query = queries
        .selectFrom(name)
        .selectAll()
        .where((is) => is.and(at(of)));
      const [found] = await database.run<Found>('read a row', query.compile());
      return found && revised(found);
    },

    async put(row) {
      const revision = randomUUID();
      await put(row, revision);
      return revision;
    },

    keep: put,

    ...createSortedRows(database, collection, content),

    async compareAndSet(row, expected) {
      const revision = randomUUID();
      const { columns, content: bytes } = await content.encode(row);
      const values = { ...columns, revision, content: bytes };
      const inserted = queries
        .insertInto(name)
        .values(values)
        .onConflict((conflict) => conflict.columns([...key]).doNothing());
      const updated = queries
        .updateTable(name)
        .set(values)
        .where((is) => is.and(at(columns)))
        .where('revision', '=', expected);
      const query = expected === undefined ? inserted.returning('revision').compile() : updated.returning('revision').compile();
      const changed = await database.run('write a row', query);
      if (changed.length > 0) return revision;
      // A statement is repeated if the connection was lost: the first may have been done.
      const known = queries
        .selectFrom(name)
        .select('revision')
        .where((is) => is.and(at(columns)));
      const [found] = await database.run<Found>('read a row', known.compile());
      return found?.revision === revision ? revision : undefined;
    },

    async delete(of, expected) {
      let query = queries.deleteFrom(name).where((is) => is.and(at(of)));
      if (expected !== undefined) query = query.where('revision', '=', expected);
      return (await database.run('delete a row', query.returning('revision').compile())).length > 0;
    },

    async list(page = {}) {
      const limit = limitOf(page);
      let query = queries
        .selectFrom(name)
        .selectAll()
        .limit(limit + 1);
      for (const column of key) query = query.orderBy(column);
      for (const [column, value] of conditionsOf(collection, page)) query = query.where(column, '=', value);
      if (page.after !== undefined) {
        const position = decodePosition(page.after, collection, key.length);
        const columns = sql.join(key.map((column) => sql.ref(column)));
        query = query.where(sql<boolean>`(${columns}) > (${sql.join(position)})`);
      }
      const found = await database.run<Found>('list rows', query.compile());
      const rows = await Promise.all(found.slice(0, limit).map(revised));
      const last = found[limit - 1];
      if (found.length <= limit || !last) return { rows };
      return { rows, next: encodePosition(key.map((column) => String(last[column]))) };
    },
  };
}
