import type { CompiledQuery, Kysely } from 'kysely';
import type { RowDialect } from './migrations.js';

/** Column names are those of the collections. */
// biome-ignore lint/suspicious/noExplicitAny: tables are declared by values, and rows are judged by their schemas
export type Queries = Kysely<any>;

/** Database of rows. Each change is a single statement, so that it is atomic and can be repeated. */
export interface RowDatabase {
  dialect: RowDialect;
  /** For messages. */
  name: string;
  /** Builds statements without running them. */
  queries: Queries;
  /** Runs one statement; its changes are on disk when it returns. Faults are ProvisioningErrors. */
  run<R>(what: string, query: CompiledQuery<unknown>): Promise<R[]>;
  close(): Promise<void>;
}
