import { KEPT_READS, type SecretRead, secretRead } from '../secret-reads.js';
import type { Database } from './database.js';

type Owner = readonly [workspace: string, infra: string, name: string];

/** Stores a read of a secret, and keeps at most `KEPT_READS` reads. */
export async function noteRead(database: Database, owner: Owner, read: SecretRead): Promise<void> {
  const insert = 'insert into provisioning.secret_reads (workspace, infra, name, read) values ($1, $2, $3, $4)';
  await database.query('note who reads a secret', insert, [...owner, JSON.stringify(read)]);
  const drop = `delete from provisioning.secret_reads where workspace = $1 and infra = $2 and name = $3 and id <= (
    select id from provisioning.secret_reads where workspace = $1 and infra = $2 and name = $3 order by id desc offset $4 limit 1)`;
  await database.query('drop old reads of a secret', drop, [...owner, KEPT_READS]);
}

/** Returns the readers of a secret, in order. */
export async function readSecretReads(database: Database, owner: Owner): Promise<SecretRead[]> {
  const text = 'select read from provisioning.secret_reads where workspace = $1 and infra = $2 and name = $3 order by id';
  const rows = await database.query<{ read: unknown }>('list who read a secret', text, owner);
  return rows.map(({ read }) => secretRead.parse(read));
}
