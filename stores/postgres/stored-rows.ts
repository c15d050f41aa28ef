import type { StoreSize } from '../../core/engine/engine.js';
import type { Database } from './database.js';

/** Counts the rows of a table, and the bytes of their content. */
export async function measureStoredRows(
  database: Database,
  table: 'payloads' | 'blobs',
  column: 'content' | 'sealed',
): Promise<StoreSize> {
  const text = `select count(*) as count, coalesce(sum(octet_length(${column})), 0) as bytes from provisioning.${table}`;
  const [row] = await database.query<Record<keyof StoreSize, string>>('measure the store', text);
  return { count: Number(row?.count), bytes: Number(row?.bytes) };
}
