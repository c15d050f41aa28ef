import { type FeedEntry, isBase } from '../../core/infra/feed.js';
import type { Cipher } from '../../encryption/cipher.js';
import {
  contextOfEntry,
  digestOf,
  type FeedOwner,
  type FeedStore,
  fromLastBase,
  newEntries,
  packedEntry,
  unpackedEntry,
} from '../feeds.js';
import type { Database } from './database.js';

interface Row {
  uuid: string;
  sequence: string;
  base: boolean;
  sealed: Buffer;
}

/** Feeds in the team's store, sealed: an entry cannot stand for another. */
export function feedTable(database: Database, cipher: Cipher): FeedStore {
  const opened = async (sealed: Uint8Array, owner: FeedOwner, sequence: number) =>
    unpackedEntry(await cipher.open(sealed, contextOfEntry(owner, sequence)));

  /** What is there from the entry before the first on, and the last snapshot. */
  async function kept(owner: FeedOwner, first: number) {
    const rows = await database.query<Row>(
      'read a feed',
      `select sequence, base, sealed from provisioning.feeds
       where uuid = $1 and workspace = $2 and infra = $3 and (sequence >= $4 - 1 or base) order by sequence`,
      [owner.uuid, owner.workspace, owner.infra, first],
    );
    const digests = new Map<number, string>();
    for (const row of rows) {
      const sequence = Number(row.sequence);
      if (sequence >= first) digests.set(sequence, digestOf((await opened(row.sealed, owner, sequence)).content));
    }
    const last = Number(rows.at(-1)?.sequence ?? 0);
    const base = Number(rows.findLast((row) => row.base)?.sequence ?? 0);
    return { last, base, digestAt: (sequence: number) => digests.get(sequence) };
  }

  async function insert(owner: FeedOwner, entries: readonly FeedEntry[]): Promise<void> {
    const { uuid, workspace, infra } = owner;
    const packed = entries.map(async (entry) => cipher.seal(await packedEntry(entry), contextOfEntry(owner, entry.sequence)));
    const sealed = await Promise.all(packed);
    await database.query(
      'append to a feed',
      `insert into provisioning.feeds (uuid, workspace, infra, sequence, base, sealed)
       select $1, $2, $3, * from unnest($4::bigint[], $5::boolean[], $6::bytea[])
       on conflict (uuid, sequence) do nothing`,
      [uuid, workspace, infra, entries.map(({ sequence }) => sequence), entries.map(isBase), sealed],
    );
  }

  return {
    async append(owner, entries) {
      const [first] = entries;
      if (!first) return;
      const fresh = newEntries(owner, await kept(owner, first.sequence), entries);
      if (fresh.length === 0) return;
      await insert(owner, fresh);
      // Of two that append at once, one finds that the other was first: with the same content, or not.
      newEntries(owner, await kept(owner, first.sequence), entries);
      if (!isBase(first)) return;
      const values = [owner.uuid, owner.workspace, owner.infra, first.sequence];
      const text = 'delete from provisioning.feeds where uuid = $1 and workspace = $2 and infra = $3 and sequence < $4';
      await database.query('forget what a snapshot replaces', text, values);
    },
    async read({ workspace, infra }) {
      const rows = await database.query<Row>(
        'read a feed',
        'select uuid, sequence, sealed from provisioning.feeds where workspace = $1 and infra = $2 order by uuid, sequence',
        [workspace, infra],
      );
      const feeds = new Map<string, FeedEntry[]>();
      for (const { uuid, sequence, sealed } of rows) {
        const entries = feeds.get(uuid) ?? [];
        feeds.set(uuid, entries);
        entries.push(await opened(sealed, { workspace, infra, uuid }, Number(sequence)));
      }
      return [...feeds].map(([uuid, entries]) => fromLastBase({ workspace, infra, uuid }, entries));
    },
    infras: () =>
      database.query<Omit<FeedOwner, 'uuid'>>(
        'list feeds',
        'select distinct workspace, infra from provisioning.feeds order by workspace, infra',
        [],
      ),
    async check() {
      await database.query('look at the feeds', 'select 1 from provisioning.feeds limit 1');
    },
  };
}
