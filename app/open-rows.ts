import { unreachableError } from '../core/errors.js';
import type { Rows } from '../stores/rows.js';
import type { MethodStores } from './engine.js';

/** Stores whose rows are opened at the first use; absent without a worker. */
export type RowStores = Pick<MethodStores, 'rows'>;

/**
 * Opens the rows of the platform.
 *
 * @param what purpose of the rows, for the error
 * @throws unreachableError `no-worker` in a process that does not open them
 */
export async function openRows({ rows }: RowStores, what: string): Promise<Rows> {
  if (rows) return rows();
  const why = 'only a worker opens the records of this home';
  throw unreachableError({ code: 'no-worker', what, why, hint: 'provisioning up' });
}
