import type { Pool, PoolClient, PoolConfig, QueryResultRow } from 'pg';
import { inputError } from '../../core/errors.js';
import { ROW_MIGRATIONS, type RowMigration } from '../rows/migrations.js';
import { type StoreAddress, storeAddress } from './address.js';
import { isBroken, storeFault } from './faults.js';
import { MIGRATIONS } from './migrations.js';

/** A connection to the database of a team's store. Faults come as ProvisioningErrors. */
export interface Database {
  /** `postgres://user@host:port/database`, for messages. */
  name: string;
  /** Runs one statement, a second time where the connection was lost: statements must bear that. */
  query<R extends QueryResultRow>(what: string, text: string, values?: readonly unknown[]): Promise<R[]>;
  close(): Promise<void>;
}

/** Chosen at random once: whoever migrates this very schema holds it. */
const MIGRATION_LOCK = 7_105_823_116;

/** How connections to a database are kept. */
export const createPoolConfig = ({ config }: StoreAddress, env: NodeJS.ProcessEnv): PoolConfig => ({
  ...config,
  max: Number(env.PROVISIONING_STORE_CONNECTIONS || 8),
  idleTimeoutMillis: 30_000,
  connectionTimeoutMillis: 5_000,
  query_timeout: 20_000,
  application_name: 'provisioning',
  allowExitOnIdle: true,
});

/**
 * Opens the database and brings its tables to this version; of several that do
 * so at once one works and the others wait.
 *
 * @throws inputError for a refused password, a missing database, tables of a newer version
 * @throws unreachableError `store-unreachable`
 */
export async function openDatabase(
  url: string,
  env: NodeJS.ProcessEnv = process.env,
  rows: readonly RowMigration[] = ROW_MIGRATIONS,
): Promise<Database> {
  const address = storeAddress(url, env);
  const { default: pg } = await import('pg');
  const pool = new pg.Pool(createPoolConfig(address, env));
  // One that breaks while idle is replaced at its next use.
  pool.on('error', () => {});
  try {
    await migrate(pool, address, rows);
  } catch (error) {
    await pool.end();
    throw storeFault(error, 'open the store', address.name);
  }
  return {
    name: address.name,
    async query(what, text, values = []) {
      for (let attempt = 1; ; attempt++) {
        try {
          return (await pool.query(text, [...values])).rows;
        } catch (error) {
          if (attempt === 1 && isBroken(error)) continue;
          throw storeFault(error, what, address.name);
        }
      }
    },
    close: () => pool.end(),
  };
}

/** The steps of the nine older stores, and those of rows: each list has its own count. */
interface Steps {
  table: 'migrations' | 'row_migrations';
  statements: readonly (readonly string[])[];
}

async function migrate(pool: Pool, { name }: StoreAddress, rows: readonly RowMigration[]): Promise<void> {
  const all: Steps[] = [
    { table: 'migrations', statements: MIGRATIONS.map((text) => [text]) },
    { table: 'row_migrations', statements: rows.map((step) => step('postgres')) },
  ];
  // Where nothing is to be done, a user that may only read and write is enough.
  if (await isCurrent(pool, name, all)) return;
  const client = await pool.connect();
  let failed = false;
  try {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await client.query('create schema if not exists provisioning');
    for (const steps of all) await take(client, name, steps);
    await client.query('commit');
  } catch (error) {
    failed = true;
    throw error;
  } finally {
    // One that was given up may still wait for the lock: closing it ends its transaction.
    client.release(failed);
  }
}

async function take(client: PoolClient, name: string, steps: Steps): Promise<void> {
  const { table, statements } = steps;
  await client.query(
    `create table if not exists provisioning.${table} (version integer primary key, made timestamptz not null default now())`,
  );
  for (let version = (await versionOf(client, name, steps)) + 1; version <= statements.length; version++) {
    for (const text of statements[version - 1] ?? []) await client.query(text);
    await client.query(`insert into provisioning.${table} (version) values ($1)`, [version]);
  }
}

async function isCurrent(pool: Pool, name: string, all: readonly Steps[]): Promise<boolean> {
  // Each in its turn: a store of a newer version is refused before anything is changed.
  let current = true;
  for (const steps of all) current = (await versionOf(pool, name, steps)) === steps.statements.length && current;
  return current;
}

async function versionOf(pool: Pool | PoolClient, on: string, { table, statements }: Steps): Promise<number> {
  const { rows: found } = await pool.query(`select to_regclass('provisioning.${table}') is not null as there`);
  if (!found[0].there) return 0;
  const { rows } = await pool.query(`select coalesce(max(version), 0) as version from provisioning.${table}`);
  const version = Number(rows[0].version);
  if (version <= statements.length) return version;
  throw inputError({
    code: 'store-newer',
    what: 'open the store',
    on,
    why: `its tables belong to a newer version of provisioning (${version}, this version supports ${statements.length})`,
    hint: 'install the version of the other team members',
  });
}
