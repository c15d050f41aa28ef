import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { RowDialect } from './migrations.js';
import type { Queries } from './row-database.js';

const postgres = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (kysely: Queries) => new PostgresIntrospector(kysely),
  createQueryCompiler: () => new PostgresQueryCompiler(),
};
const embedded = {
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (kysely: Queries) => new SqliteIntrospector(kysely),
  createQueryCompiler: () => new SqliteQueryCompiler(),
};

/** Builds statements of a dialect. They are run elsewhere: by the connections and with the errors that stores have already. */
export const createQueries = (dialect: RowDialect): Queries =>
  dialect === 'postgres' ? new Kysely({ dialect: postgres }).withSchema('provisioning') : new Kysely({ dialect: embedded });
