import type { Cipher } from '../../encryption/cipher.js';
import { contextOfRollback, packRollback, type RollbackOwner, type RollbackStore, unpackRollback } from '../rollbacks.js';
import type { Database } from './database.js';

/** Roll-back data in the team's store, sealed: the data of an operation cannot replace those of another. */
export function rollbackTable(database: Database, cipher: Cipher): RollbackStore {
  const opened = async (sealed: Uint8Array, owner: RollbackOwner) =>
    unpackRollback(await cipher.open(sealed, contextOfRollback(owner)));
  return {
    async keep(owner, kept) {
      await database.query(
        'keep roll-back data',
        `insert into provisioning.rollbacks (workspace, infra, operation, sealed) values ($1, $2, $3, $4)
         on conflict (workspace, infra, operation) do update set sealed = excluded.sealed, written = now()`,
        [owner.workspace, owner.infra, owner.operation, cipher.seal(await packRollback(kept), contextOfRollback(owner))],
      );
    },
    async read(owner) {
      const [row] = await database.query<{ sealed: Buffer }>(
        'read roll-back data',
        'select sealed from provisioning.rollbacks where workspace = $1 and infra = $2 and operation = $3',
        [owner.workspace, owner.infra, owner.operation],
      );
      return row && opened(row.sealed, owner);
    },
    async find(operation) {
      const [row] = await database.query<{ workspace: string; infra: string; sealed: Buffer }>(
        'read roll-back data',
        'select workspace, infra, sealed from provisioning.rollbacks where operation = $1',
        [operation],
      );
      if (!row) return undefined;
      const owner = { workspace: row.workspace, infra: row.infra, operation };
      return { ...owner, ...(await opened(row.sealed, owner)) };
    },
    async drop({ workspace, infra, operation }) {
      await database.query(
        'forget roll-back data',
        'delete from provisioning.rollbacks where workspace = $1 and infra = $2 and ($3::text is null or operation = $3)',
        [workspace, infra, operation ?? null],
      );
    },
  };
}
