import type { CompiledQuery, Kysely } from 'kysely';
import type { RowDialect } from './migrations.js';

/** Names of columns are those of the collections. */
// biome-ignore lint/suspicious/noExplicitAny: tables are declared by values, and rows are judged by their schemas
export type Queries = Kysely<any>;

/** Where rows are kept. Each change is a single statement, so that it happens whole or not at all, and can be repeated. */
export interface RowDatabase {
  dialect: RowDialect;
  /** For messages. */
  name: string;
  /** Builds statements, and runs none. */
  queries: Queries;
  /** Runs one statement; what it changed is on disk when it returns. Faults come as ProvisioningErrors. */
  run<R>(what: string, query: CompiledQuery<unknown>): Promise<R[]>;
  close(): Promise<void>;
}
