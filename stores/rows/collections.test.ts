import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { columnsOf, keyOf } from './collection.js';
import { COLLECTIONS } from './collections.js';
import { openEmbeddedRows } from './embedded-rows.js';
import { nameSortedIndex, ROW_MIGRATIONS } from './migrations.js';

test('the steps of the tables make what the collections declare', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'collections-'));
  const database = await openEmbeddedRows(join(folder, 'rows', 'rows.db'), ROW_MIGRATIONS);
  const ask = <R>(text: string) => database.run<R>('look', sql.raw(text).compile(database.queries));
  try {
    const tables = await ask<{ name: string }>("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'");
    expect(tables.map(({ name }) => name).sort()).toEqual(COLLECTIONS.map(({ name }) => name).sort());
    for (const collection of COLLECTIONS) {
      const own = collection.kind === 'table' ? 'revision' : 'sequence';
      const columns = await ask<{ name: string }>(`select name from pragma_table_info('${collection.name}')`);
      expect(columns.map(({ name }) => name).sort()).toEqual([...columnsOf(collection), own, 'content'].sort());
      const indexes = await ask<{ name: string; unique: number }>(
        `select name, "unique" from pragma_index_list('${collection.name}')`,
      );
      const plain = indexes.filter((index) => !index.unique).map(({ name }) => name);
      const sorting = collection.kind === 'table' ? collection.sorting : undefined;
      const within: readonly (readonly string[])[] = sorting?.within ?? [];
      const declared = [
        ...[...collection.indexes].map((column) => `${collection.name}_by_${column}`),
        ...within.map((list) => nameSortedIndex(collection.name, list)),
      ];
      expect(plain.sort()).toEqual(declared.sort());
      for (const list of within) {
        const parts = await ask<{ name: string }>(
          `select name from pragma_index_info('${nameSortedIndex(collection.name, list)}')`,
        );
        expect(parts.map(({ name }) => name)).toEqual([...list, sorting?.by, ...keyOf(collection)]);
      }
      const [unique] = indexes.filter((index) => index.unique);
      const keys = await ask<{ name: string }>(`select name from pragma_index_info('${unique?.name}')`);
      expect(keys.map(({ name }) => name)).toEqual(keyOf(collection));
    }
  } finally {
    await database.close();
    rmSync(folder, { recursive: true });
  }
});
