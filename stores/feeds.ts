import { createHash } from 'node:crypto';
import { canonical } from '../core/encoding/hash.js';
import { inputError, type ProvisioningError } from '../core/errors.js';
import { type Feed, type FeedContent, type FeedEntry, isBase } from '../core/infra/feed.js';
import { packJson, unpackJson } from './packed.js';

/** One life of an infra. */
export interface FeedOwner {
  workspace: string;
  infra: string;
  uuid: string;
}

/** Position of the feed in one life of an infra. */
export interface FeedHead {
  infra: string;
  uuid: string;
  /** The sequence of its last entry. */
  last: number;
}

/**
 * The changes of each infra, as its entity accepted and numbered them. They rebuild its inventory if Temporal's data
 * are lost. A snapshot, and the mark of an end, replace the entries before them.
 */
export interface FeedStore {
  /**
   * Appends entries. Only the first may be a snapshot or an end. Resolves once the entries survive a power cut.
   * Existing entries with the same content stay unchanged.
   *
   * @throws inputError `feed-conflict` if one of the sequences has another content, or a later snapshot exists
   * @throws inputError `feed-gap` if the entries before them are missing
   */
  append(owner: FeedOwner, entries: readonly FeedEntry[]): Promise<void>;
  /**
   * The feeds of all lives of an infra, including ended lives.
   *
   * @throws inputError `feed-damaged` if a change is missing
   */
  read(owner: Omit<FeedOwner, 'uuid'>): Promise<Feed[]>;
  /** The positions of a workspace's feeds, or of one infra's feeds, including ended lives. Opens no entry. */
  heads(scope: { workspace: string; infra?: string | undefined }): Promise<FeedHead[]>;
  /** The infras with a feed, including deleted ones. */
  infras(): Promise<Omit<FeedOwner, 'uuid'>[]>;
  /** Fails as long as nothing can be appended, to any feed or to this one. */
  check(owner?: FeedOwner): Promise<void>;
}

/** Returns a digest that identifies a content. */
export const digestFeed = (content: FeedContent): string => createHash('sha256').update(canonical(content)).digest('base64');

/** Parts of a stored feed, as far as the query needs them. */
export interface KeptFeed {
  /** The sequence of the last entry; 0 if the feed is empty. */
  last: number;
  /** The sequence of the last snapshot or end; 0 if the feed has neither. */
  base: number;
  /** The content under a sequence, by `digestFeed`. */
  digestAt(sequence: number): string | undefined;
}

/** Returns the entries that the store does not have. @throws as `append` */
export function newEntries(owner: FeedOwner, { last, base, digestAt }: KeptFeed, entries: readonly FeedEntry[]): FeedEntry[] {
  const [first] = entries;
  if (!first) return [];
  if (first.sequence < base) throw conflict(owner, first.sequence, `a snapshot under number ${base} is there`);
  for (const { sequence, content } of entries)
    if (sequence <= last && digestAt(sequence) !== digestFeed(content)) throw conflict(owner, sequence, 'another one is there');
  if (first.sequence > last + 1 && !isBase(first)) throw gap(owner, first.sequence, last);
  return entries.filter(({ sequence }) => sequence > last);
}

const WHAT = 'append to the feed';
const nameOf = ({ workspace, infra, uuid }: FeedOwner) => `${workspace}/${infra} (${uuid})`;

const conflict = (owner: FeedOwner, sequence: number, why: string): ProvisioningError =>
  inputError({
    code: 'feed-conflict',
    what: WHAT,
    on: nameOf(owner),
    why: `under the number ${sequence} of this change ${why}: the engine is older than its feed`,
    hint: `if an older copy of the engine's data was restored, run \`provisioning infra recover ${owner.infra}\``,
  });

const gap = (owner: FeedOwner, sequence: number, last: number): ProvisioningError =>
  inputError({
    code: 'feed-gap',
    what: WHAT,
    on: nameOf(owner),
    why: `the change has number ${sequence}, but the last stored number is ${last}`,
  });

/** Returns the context that an entry is sealed for, so that it cannot replace another entry. */
export const contextOfEntry = ({ workspace, infra, uuid }: FeedOwner, sequence: number): string =>
  `feed/${workspace}/${infra}/${uuid}/${sequence}`;

/** As bytes, which stores seal. */
export const packEntry = (entry: FeedEntry): Promise<Buffer> => packJson(entry);

export const unpackEntry = (bytes: Uint8Array): Promise<FeedEntry> => unpackJson(bytes);

/** Packs the entries of a feed as bytes, as they move from one store to another. */
export const packFeed = ({ entries }: Feed): Promise<Buffer> => packJson(entries);

export const unpackFeed = (bytes: Uint8Array): Promise<FeedEntry[]> => unpackJson(bytes);

/** Returns the entries from the last snapshot or end on. @throws inputError `feed-damaged` if one is missing */
export function trimToLastBase({ uuid, ...owner }: FeedOwner, entries: readonly FeedEntry[]): Feed {
  const kept = entries.slice(Math.max(0, entries.findLastIndex(isBase)));
  const [first] = kept;
  kept.forEach(({ sequence }, index) => {
    const expected = (first && isBase(first) ? first.sequence : 1) + index;
    if (sequence === expected) return;
    throw inputError({
      code: 'feed-damaged',
      what: 'read the feed',
      on: nameOf({ ...owner, uuid }),
      why: `change number ${expected} is missing`,
      hint: 'restore feeds/ of the home, or the store of the team, from a backup',
    });
  });
  return { uuid, entries: kept };
}
