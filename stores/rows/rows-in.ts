import * as z from 'zod';
import { badRecord } from '../records.js';
import type { Rows } from '../rows.js';
import type { AnyCollection } from './collection.js';
import type { RowSealer } from './row-content.js';
import type { RowDatabase } from './row-database.js';
import { rowLog } from './row-log.js';
import { rowTable } from './row-table.js';

/** Rows of one record that moves to another store. */
const PAGE = 500;

const tableRows = z.array(z.strictObject({ row: z.looseObject({}), revision: z.string() }));
const logRows = z.array(z.strictObject({ row: z.looseObject({}), sequence: z.int().min(1) }));

/** The rows of collections in a database. */
export function rowsIn(database: RowDatabase, collections: readonly AnyCollection[], sealer: RowSealer): Rows {
  function placed(name: readonly string[]) {
    const record = { kind: 'rows' as const, name };
    const collection = collections.find((one) => one.name === name[0]);
    if (!collection) throw badRecord(record, 'this version has no such collection');
    return { record, collection };
  }

  return {
    table: (collection) => rowTable(database, collection, sealer),
    log: (collection) => rowLog(database, collection, sealer),
    async *read() {
      for (const collection of collections) {
        const kept = collection.kind === 'table' ? rowTable(database, collection, sealer) : rowLog(database, collection, sealer);
        let after: string | undefined;
        for (let number = 1; ; number++) {
          const { rows, next } = await kept.list({ limit: PAGE, ...(after && { after }) });
          if (rows.length > 0) yield { name: [collection.name, String(number)], bytes: Buffer.from(JSON.stringify(rows)) };
          if (next === undefined) break;
          after = next;
        }
      }
    },
    async write(name, bytes) {
      const { record, collection } = placed(name);
      if (collection.kind === 'log') {
        const rows = judged(record, bytes, logRows, collection);
        await rowLog(database, collection, sealer).keep(rows);
        return;
      }
      const table = rowTable(database, collection, sealer);
      for (const { row, revision } of judged(record, bytes, tableRows, collection)) await table.keep(row, revision);
    },
    async remove(name, bytes) {
      const { record, collection } = placed(name);
      if (collection.kind === 'log') {
        const rows = judged(record, bytes, logRows, collection);
        await rowLog(database, collection, sealer).drop(rows.map(({ sequence }) => sequence));
        return;
      }
      const table = rowTable(database, collection, sealer);
      for (const { row } of judged(record, bytes, tableRows, collection)) await table.delete(row as never);
    },
    close: () => database.close(),
  };
}

/** @throws inputError `bad-record` */
function judged<T extends { row: object }>(
  record: { kind: 'rows'; name: readonly string[] },
  bytes: Buffer,
  schema: z.ZodType<T[]>,
  collection: AnyCollection,
): T[] {
  try {
    const rows = schema.parse(JSON.parse(bytes.toString('utf8')));
    for (const { row } of rows) collection.row.parse(row);
    return rows;
  } catch (error) {
    throw badRecord(record, 'it does not have the format of this version', error);
  }
}
