import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient, PoolConfig, QueryResultRow } from 'pg';
import { inputError } from '../../core/errors.js';
import { HOLD_PATIENCE_MS, HOLD_PAUSE_MS } from '../moves.js';
import { ROW_MIGRATIONS, type RowMigration } from '../rows/migrations.js';
import { type StoreAddress, storeAddress } from './address.js';
import { isBroken, isHeld, storeFault } from './faults.js';
import { MIGRATIONS } from './migrations.js';

/** A connection to the database of a team's store. Faults come as ProvisioningErrors. */
export interface Database {
  /** `postgres://user@host:port/database`, for messages. */
  name: string;
  /** Runs one statement, and repeats it once if the connection was lost: statements must allow a repetition. */
  query<R extends QueryResultRow>(what: string, text: string, values?: readonly unknown[]): Promise<R[]>;
  /**
   * Runs statements on a separate connection, which is closed at the end with all its locks. No statement is repeated.
   */
  session<T>(what: string, work: (query: SessionQuery) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Runs a statement on the connection of a session. */
export type SessionQuery = <R extends QueryResultRow>(text: string, values?: readonly unknown[]) => Promise<R[]>;

/** Lock number, chosen at random once: the process that migrates this schema holds the lock. */
const MIGRATION_LOCK = 7_105_823_116;

/** Creates the configuration of connections to a database. */
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
 * Opens the database and migrates its tables to this version. If several processes do so at once, one migrates and the
 * others wait.
 *
 * @param mover id of the platform that fills this store by a move
 * @throws inputError for a refused password, a missing database, tables of a newer version
 * @throws unreachableError `store-unreachable`
 */
export async function openDatabase(
  url: string,
  env: NodeJS.ProcessEnv = process.env,
  rows: readonly RowMigration[] = ROW_MIGRATIONS,
  mover?: string,
): Promise<Database> {
  const address = storeAddress(url, env);
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    ...createPoolConfig(address, env),
    ...(mover && { onConnect: (client) => client.query("select set_config('provisioning.mover', $1, false)", [mover]) as never }),
  });
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
      const until = Date.now() + HOLD_PATIENCE_MS;
      for (let attempt = 1; ; attempt++) {
        try {
          return (await pool.query(text, [...values])).rows;
        } catch (error) {
          if (attempt === 1 && isBroken(error)) continue;
          if (!isHeld(error) || Date.now() > until) throw storeFault(error, what, address.name);
          await sleep(HOLD_PAUSE_MS);
        }
      }
    },
    async session(what, work) {
      const client = await pool.connect().catch((error: unknown) => {
        throw storeFault(error, what, address.name);
      });
      try {
        return await work(async (text, values = []) => {
          try {
            return (await client.query(text, [...values])).rows;
          } catch (error) {
            throw storeFault(error, what, address.name);
          }
        });
      } finally {
        client.release(true);
      }
    },
    close: () => pool.end(),
  };
}

/** The migrations of the nine older stores, and those of rows: each list has its own count. */
interface Steps {
  table: 'migrations' | 'row_migrations';
  statements: readonly (readonly string[])[];
}

async function migrate(pool: Pool, { name }: StoreAddress, rows: readonly RowMigration[]): Promise<void> {
  const all = stepsOf(rows);
  // If there is nothing to migrate, a user with only read and write permissions is enough.
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
    // An abandoned statement may still wait for the lock: closing the connection ends its transaction.
    client.release(failed);
  }
}

/**
 * Whether a database has the tables of this version. Changes nothing.
 *
 * @returns `none` before its first use; `former` if an earlier version made them
 * @throws as `openDatabase`
 */
export async function findTables(url: string, env: NodeJS.ProcessEnv): Promise<'none' | 'former' | 'current'> {
  const address = storeAddress(url, env);
  const { default: pg } = await import('pg');
  const pool = new pg.Pool(createPoolConfig(address, env));
  pool.on('error', () => {});
  try {
    const all = stepsOf(ROW_MIGRATIONS);
    if (await isCurrent(pool, address.name, all)) return 'current';
    return (await versionOf(pool, address.name, all[0] as Steps)) === 0 ? 'none' : 'former';
  } catch (error) {
    throw storeFault(error, 'open the store', address.name);
  } finally {
    await pool.end();
  }
}

const stepsOf = (rows: readonly RowMigration[]): Steps[] => [
  { table: 'migrations', statements: MIGRATIONS.map((text) => [text]) },
  { table: 'row_migrations', statements: rows.map((step) => step('postgres')) },
];

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
