import type { Cipher } from '../../encryption/cipher.js';
import { derivePublicKey, infraComment, makePair } from '../key-pair.js';
import { contextOfKey, type KeyOwner, type KeyPair, type KeyStore, nextKeyName } from '../keys.js';
import type { Database } from './database.js';

/** Server name in the row of an infra's own key. */
const OWN = '';

/**
 * Keys in the team's store. Private halves and pinned host keys are sealed, so that write access to the database is
 * not enough to replace a key. Unsealed data are not trusted.
 */
export function keyTable(database: Database, cipher: Cipher): KeyStore {
  const pinOf = ({ workspace, infra }: KeyOwner, server: string) => `pin/${workspace}/${infra}/${server}`;

  async function ensure(owner: KeyOwner, server: string, comment: string): Promise<KeyPair> {
    const { workspace, infra } = owner;
    const context = contextOfKey(owner, server);
    const read = () =>
      database.query<{ sealed: Buffer | null }>(
        'read a key',
        'select sealed from provisioning.keys where workspace = $1 and infra = $2 and server = $3',
        [workspace, infra, server],
      );
    let [row] = await read();
    if (!row?.sealed) {
      const made = makePair(comment);
      // The second process finds the key of the first, and drops its own.
      await database.query(
        'keep a key',
        `insert into provisioning.keys (workspace, infra, server, sealed, public) values ($1, $2, $3, $4, $5)
         on conflict (workspace, infra, server) do update set sealed = excluded.sealed, public = excluded.public, pin = null
         where keys.sealed is null`,
        [workspace, infra, server, cipher.seal(Buffer.from(made.private), context), derivePublicKey(made.private, comment)],
      );
      [row] = await read();
    }
    const kept = (await cipher.open(row?.sealed as Buffer, context)).toString('utf8');
    return { private: kept, public: derivePublicKey(kept, comment) };
  }

  return {
    infraKey: (owner) => ensure(owner, OWN, infraComment(owner)),
    async infras(workspace) {
      const rows = await database.query<{ infra: string }>(
        'list keys',
        'select infra from provisioning.keys where workspace = $1 and server = $2 and sealed is not null order by infra',
        [workspace, OWN],
      );
      return rows.map(({ infra }) => infra);
    },
    hostKey: (owner, server) => ensure(owner, server, server),
    async pinned(owner, server) {
      const [row] = await database.query<{ pin: Buffer | null; sealed: Buffer | null }>(
        'read a pinned host key',
        'select pin, sealed from provisioning.keys where workspace = $1 and infra = $2 and server = $3',
        [owner.workspace, owner.infra, server],
      );
      if (row?.pin) return (await cipher.open(row.pin, pinOf(owner, server))).toString('utf8');
      if (!row?.sealed) return undefined;
      return derivePublicKey((await cipher.open(row.sealed, contextOfKey(owner, server))).toString('utf8'), server);
    },
    async pin(owner, server, publicKey) {
      const { workspace, infra } = owner;
      await database.query(
        'pin a host key',
        `insert into provisioning.keys (workspace, infra, server, public, pin) values ($1, $2, $3, $4, $5)
         on conflict (workspace, infra, server) do update set public = excluded.public, pin = excluded.pin`,
        [workspace, infra, server, publicKey, cipher.seal(Buffer.from(publicKey), pinOf(owner, server))],
      );
    },
    async forget({ workspace, infra }, server) {
      await database.query(
        'forget keys',
        'delete from provisioning.keys where workspace = $1 and infra = $2 and ($3::text is null or server in ($3, $4))',
        [workspace, infra, server ?? null, server === undefined ? null : nextKeyName(server)],
      );
    },
  };
}
