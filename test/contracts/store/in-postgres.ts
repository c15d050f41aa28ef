import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import type { Home } from '../../../home/home.js';
import { openStores } from '../../../stores/open-stores.js';
import type { Stores } from '../../../stores/stores.js';
import { findPostgres, startPostgres, type TestDatabase, type TestPostgres } from '../../support/postgres.js';

/** Whether a PostgreSQL for tests is installed. */
export const postgresHere = findPostgres() !== undefined;
if (!postgresHere) console.warn('skipped: PostgreSQL is not installed, so its store is not tested');

/** Server with one initial database. Both are known once the tests begin. */
export interface InPostgres {
  readonly postgres: TestPostgres;
  readonly shared: TestDatabase;
  open(url: string, env?: NodeJS.ProcessEnv): Promise<Stores>;
}

/** Starts a server for the tests of a `describe`, and stops it after them. */
export function inPostgres(home: Home): InPostgres {
  let postgres: TestPostgres;
  let shared: TestDatabase;
  beforeAll(async () => {
    postgres = await startPostgres();
    shared = await postgres.database('shared');
  });
  afterAll(() => postgres?.stop());
  return {
    get postgres() {
      return postgres;
    },
    get shared() {
      return shared;
    },
    open: (url, env = {}) => openStores(home, { PROVISIONING_STORE: url, ...env }),
  };
}

/** Returns the error of a call that must fail. */
export const failure = (opened: Promise<unknown>) =>
  opened.then(
    () => ({ details: undefined, message: 'it opened' }),
    (error) => error,
  );

/** Works in a database directly, without the stores. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
