import { ProvisioningError } from '../../core/errors.js';
import { type FeedEntry, isBase } from '../../core/infra/feed.js';
import type { Cipher } from '../../encryption/cipher.js';
import {
  contextOfEntry,
  digestFeed,
  type FeedOwner,
  type FeedStore,
  type KeptFeed,
  newEntries,
  packEntry,
  trimToLastBase,
  unpackEntry,
} from '../feeds.js';
import type { Database } from './database.js';

interface Row {
  uuid: string;
  sequence: string;
  sealed: Buffer;
}

interface KeptRow {
  sequence: string;
  base: boolean;
  /** Only for entries that are compared with the appended ones. */
  sealed: Buffer | null;
}

/** Feeds in the team's store, sealed: an entry cannot replace another. */
export function feedTable(database: Database, cipher: Cipher): FeedStore {
  const opened = async (sealed: Uint8Array, owner: FeedOwner, sequence: number) =>
    unpackEntry(await cipher.open(sealed, contextOfEntry(owner, sequence)));

  /** Reads the entries from the first one on, the last snapshot and the last entry. */
  async function kept(owner: FeedOwner, first: number): Promise<KeptFeed> {
    const rows = await database.query<KeptRow>(
      'read a feed',
      `select sequence, base, case when sequence >= $4 then sealed end as sealed from provisioning.feeds
       where uuid = $1 and workspace = $2 and infra = $3 and (sequence >= $4 or base or sequence = (
         select max(sequence) from provisioning.feeds where uuid = $1 and workspace = $2 and infra = $3))
       order by sequence`,
      [owner.uuid, owner.workspace, owner.infra, first],
    );
    const digests = new Map<number, string>();
    for (const { sequence, sealed } of rows)
      if (sealed) digests.set(Number(sequence), digestFeed((await opened(sealed, owner, Number(sequence))).content));
    const last = Number(rows.at(-1)?.sequence ?? 0);
    const base = Number(rows.findLast((row) => row.base)?.sequence ?? 0);
    return { last, base, digestAt: (sequence) => digests.get(sequence) };
  }

  /** Inserts all entries, or none if another entry has one of their numbers. */
  async function insert(owner: FeedOwner, entries: readonly FeedEntry[]): Promise<void> {
    const { uuid, workspace, infra } = owner;
    const packed = entries.map(async (entry) => cipher.seal(await packEntry(entry), contextOfEntry(owner, entry.sequence)));
    const sealed = await Promise.all(packed);
    await database.query(
      'append to a feed',
      `insert into provisioning.feeds (uuid, workspace, infra, sequence, base, sealed)
       select $1, $2, $3, * from unnest($4::bigint[], $5::boolean[], $6::bytea[])`,
      [uuid, workspace, infra, entries.map(({ sequence }) => sequence), entries.map(isBase), sealed],
    );
  }

  return {
    async append(owner, entries) {
      const [first] = entries;
      if (!first) return;
      // If two processes append at once, the second finds the entries of the first: with the same content, or not.
      for (let before: number | undefined; ; ) {
        const there = await kept(owner, first.sequence);
        const fresh = newEntries(owner, there, entries);
        if (fresh.length === 0) break;
        await insert(owner, fresh).catch((error: unknown) => {
          // The first process has made the feed longer. Any other conflict remains.
          if (!isTaken(error) || there.last === before) throw error;
        });
        before = there.last;
      }
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
      return [...feeds].map(([uuid, entries]) => trimToLastBase({ workspace, infra, uuid }, entries));
    },
    async heads({ workspace, infra }) {
      const rows = await database.query<{ infra: string; uuid: string; last: string }>(
        'look how far feeds are',
        `select infra, uuid, max(sequence) as last from provisioning.feeds
         where workspace = $1 and ($2::text is null or infra = $2) group by infra, uuid order by infra, uuid`,
        [workspace, infra ?? null],
      );
      return rows.map(({ last, ...life }) => ({ ...life, last: Number(last) }));
    },
    infras: () =>
      database.query<Omit<FeedOwner, 'uuid'>>(
        'list feeds',
        'select distinct workspace, infra from provisioning.feeds order by workspace, infra',
        [],
      ),
    async check() {
      // A read would also succeed on a server that accepts no writes, such as a standby server or a full disk.
      await database.query('look at the feeds', 'update provisioning.store set id = id');
    },
  };
}

/** Whether a number is taken: PostgreSQL's unique_violation. */
const isTaken = (error: unknown): boolean =>
  error instanceof ProvisioningError && (error.cause as { code?: string } | undefined)?.code === '23505';
