import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../../home/home.js';
import type { Database } from '../postgres/database.js';
import type { Rows } from '../rows.js';
import type { AnyCollection } from './collection.js';
import { COLLECTIONS } from './collections.js';
import { ROW_MIGRATIONS, type RowMigration } from './migrations.js';
import type { RowSealer } from './row-content.js';

/** Rows that are opened at the first use: most commands need neither rows nor a database. */
export interface LazyRows {
  rows(): Promise<Rows>;
  /** Closes them if they were opened. */
  close(): Promise<void>;
}

/** Declared collections, and the steps of their tables. Tests have others. */
export interface RowDeclarations {
  collections: readonly AnyCollection[];
  migrations: readonly RowMigration[];
}

const DECLARED: RowDeclarations = { collections: COLLECTIONS, migrations: ROW_MIGRATIONS };

/** The database file of a home. */
export const rowsFile = (home: Pick<Home, 'rows'>): string => join(home.rows, 'rows.db');

/** Whether a home has rows. */
export const hasRows = (home: Pick<Home, 'rows'>): boolean => existsSync(rowsFile(home));

/** The rows of a home. */
export const homeRows = (home: Pick<Home, 'rows'>, sealer: RowSealer, declared = DECLARED): LazyRows =>
  lazily(async () => {
    const [{ openEmbeddedRows }, { rowsIn }] = await Promise.all([import('./embedded-rows.js'), import('./rows-in.js')]);
    return rowsIn(await openEmbeddedRows(rowsFile(home), declared.migrations), declared.collections, sealer);
  });

/** The rows of a team, in a database that `openDatabase` has opened. */
export const openSharedRows = (database: Pick<Database, 'name' | 'query'>, sealer: RowSealer, declared = DECLARED): LazyRows =>
  lazily(async () => {
    const [{ postgresRows }, { rowsIn }] = await Promise.all([import('./postgres-rows.js'), import('./rows-in.js')]);
    return rowsIn(postgresRows(database), declared.collections, sealer);
  });

function lazily(open: () => Promise<Rows>): LazyRows {
  let opening: Promise<Rows> | undefined;
  return {
    rows() {
      opening ??= open().catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
    close: async () => (await opening)?.close(),
  };
}
