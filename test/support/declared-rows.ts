import * as z from 'zod';
import type { Home } from '../../home/home.js';
import { createSealer } from '../../stores/files/sealer.js';
import { openDatabase } from '../../stores/postgres/database.js';
import { log, table } from '../../stores/rows/collection.js';
import { createLog, createTable, type RowMigration } from '../../stores/rows/migrations.js';
import { homeRows, type LazyRows, openSharedRows, type RowDeclarations } from '../../stores/rows/open-rows.js';

const member = z.strictObject({ tenant: z.string(), name: z.string(), team: z.string().optional(), count: z.int() });

/** Sealed table with a key of two columns. */
export const members = table({
  name: 'test_members',
  row: member,
  key: ['tenant', 'name'],
  indexes: ['team'],
  sealed: true,
});
/** The same table in plain text. */
export const counters = table({ name: 'test_counters', row: member, key: ['tenant', 'name'], indexes: [], sealed: false });
const event = z.strictObject({ id: z.string(), writer: z.string(), text: z.string() });
export const events = log({ name: 'test_events', row: event, id: 'id', indexes: ['writer'], sealed: true, keep: 100_000 });
/** Log with a small maximum of rows. */
export const recent = log({ name: 'test_recent', row: event, id: 'id', indexes: [], sealed: false, keep: 10 });
/** Log with a small maximum of rows, and a smaller one per writer. */
export const divided = log({
  name: 'test_divided',
  row: event,
  id: 'id',
  indexes: ['writer'],
  sealed: true,
  keep: 10,
  apart: { column: 'writer', text: 'loud', keep: 5 },
});

const visit = z.strictObject({ id: z.string(), place: z.string(), guest: z.string(), at: z.string(), note: z.string() });
const sorting = { by: 'at', within: [['place'], ['place', 'guest']] } as const;
/** A table with sorted lists. */
export const visits = table({ name: 'test_visits', row: visit, key: ['id'], indexes: [], sealed: true, sorting });

const FIRST: readonly RowMigration[] = [
  createTable('test_members', { key: ['tenant', 'name'], indexes: ['team'] }),
  createTable('test_counters', { key: ['tenant', 'name'], indexes: [] }),
];

/** Declarations of the version before logs. */
export const former: RowDeclarations = { collections: [members, counters], migrations: FIRST };
export const declared: RowDeclarations = {
  collections: [members, counters, events, recent, divided, visits],
  migrations: [
    ...FIRST,
    createLog('test_events', { key: ['id'], indexes: ['writer'] }),
    createLog('test_recent', { key: ['id'], indexes: [] }),
    createLog('test_divided', { key: ['id'], indexes: ['writer'] }),
    createTable('test_visits', { key: ['id'], indexes: [], sorting }),
  ],
};

/** Opens the test's collections in a home, or in the database at a URL. */
export async function openDeclared(home: Home, url: string | undefined, what = declared): Promise<LazyRows> {
  const sealer = createSealer(home, {});
  if (!url) return homeRows(home, sealer, what);
  const database = await openDatabase(url, {}, what.migrations);
  const lazy = openSharedRows(database, sealer, what);
  return { rows: lazy.rows, close: () => database.close() };
}
