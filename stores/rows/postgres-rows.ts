import type { Database } from '../postgres/database.js';
import { createQueries } from './queries.js';
import type { RowDatabase } from './row-database.js';

/** Rows in the team's store, by its own pool; the store closes it. */
export const postgresRows = (database: Pick<Database, 'name' | 'query'>): RowDatabase => ({
  dialect: 'postgres',
  name: database.name,
  queries: createQueries('postgres'),
  run: (what, { sql, parameters }) => database.query(what, sql, parameters) as Promise<never[]>,
  close: async () => {},
});
