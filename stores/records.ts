import * as z from 'zod';
import { inputError } from '../core/errors.js';
import type { KeptClaim } from './claims.js';
import type { StoreMoves } from './moves.js';
import { KEPT_READS, type SecretRead, secretRead } from './secret-reads.js';
import { originRecord } from './secret-versions.js';

/**
 * The kinds of state that move from one store to another, in the order in which they are read. Numbers of states and
 * feeds come first: they may lag behind Temporal's own data and must never be ahead of it. Claims of messages are not
 * included: after ten minutes no run can begin with such a message any more.
 */
export const RECORD_KINDS = [
  'sequence',
  'feed',
  'key',
  'secret-version',
  'secret',
  'secret-read',
  'rollback',
  'rows',
  'blob',
  'payload',
  'log',
] as const;
/** Kinds whose name is the hash of their content: records with equal names are equal. */
export const ADDRESSED_KINDS = ['blob', 'payload'] as const satisfies RecordKind[];
export type AddressedKind = (typeof ADDRESSED_KINDS)[number];
export type RecordKind = (typeof RECORD_KINDS)[number];

/**
 * An item of a store, in the format that every kind of store reads and writes.
 *
 * | kind | name | bytes |
 * | --- | --- | --- |
 * | `sequence` | workspace, infra | JSON: `sequence`, `run` |
 * | `feed` | workspace, infra, UUID of one life | as `packFeed` |
 * | `key` | workspace, infra, server (empty: the infra's own) | JSON: `private`, `pin` |
 * | `secret-version` | workspace, infra, name, version | JSON: `at`, `by`, `how`, `recipe`, `value` |
 * | `secret` | workspace, infra (both empty for shared ones), name | the value |
 * | `secret-read` | workspace, infra, name | JSON: the readers of its value, in order |
 * | `rollback` | workspace, infra, operation | as `packRollback` |
 * | `rows` | collection, number of the page | JSON: rows with `revision` or `sequence` |
 * | `blob` | address | the text |
 * | `payload` | SHA-256 | as they are kept, encrypted |
 * | `log` | operation, server, taskserv, generation, attempt | the text |
 */
export interface StoreRecord {
  kind: RecordKind;
  name: readonly string[];
  bytes: Buffer;
}

/** The complete content of a store, as records. */
export interface StoreRecords {
  /** Location of the store: files of the home, or the team's store, without its password. */
  name: string;
  /** The id of a team's store, from which its task queue comes; undefined for files of the home. */
  sharedId?: string;
  /** @throws inputError `bad-record` for one that no store would keep */
  read(kind: RecordKind): AsyncGenerator<StoreRecord>;
  /** Stores a record from another store. @throws inputError `bad-record` */
  write(record: StoreRecord): Promise<void>;
  /** Deletes the data of a record, as it was read from this store. Ignores missing data. */
  remove(record: StoreRecord): Promise<void>;
  /** Names of all records with this kind, without reading them. */
  addresses(kind: AddressedKind): AsyncGenerator<string>;
  /** The content of an address; undefined if it is not there. */
  contentAt(kind: AddressedKind, address: string): Promise<Buffer | undefined>;
  /** Messages that are used, and can be used for some minutes more. They are in no backup. */
  claims(): AsyncGenerator<KeptClaim>;
  keepClaim(claim: KeptClaim): Promise<void>;
  /** The store's state of moves. */
  moves: StoreMoves;
  isEmpty(): Promise<boolean>;
  /** Takes over the id of another team's store, as long as this one is empty. */
  adoptId?(id: string): Promise<void>;
  close(): Promise<void>;
}

export const sequenceRecord = z.strictObject({ sequence: z.int().min(0), run: z.string() });
export const versionRecord = originRecord.extend({ value: z.string() });
export const readsRecord = z.array(secretRead);
export const keyRecord = z.strictObject({ private: z.string().optional(), pin: z.string().optional() });

/** Returns the content of a record of reads: the last reads, each once. */
export const readsBytes = (reads: readonly SecretRead[]): Buffer =>
  Buffer.from(`[${[...new Set(reads.slice(-KEPT_READS).map((read) => JSON.stringify(read)))].join(',')}]`);

export const jsonBytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/**
 * Returns the content of a JSON record.
 *
 * @throws inputError `bad-record`
 */
export function parseRecord<T>(schema: z.ZodType<T>, { kind, name, bytes }: StoreRecord): T {
  try {
    return schema.parse(JSON.parse(bytes.toString('utf8')));
  } catch (cause) {
    throw badRecord({ kind, name }, 'it does not have the format of this version', cause);
  }
}

const MOST_SEGMENT = 250;
const NAMES: Readonly<Record<RecordKind, number>> = {
  sequence: 2,
  feed: 3,
  key: 3,
  secret: 3,
  'secret-version': 4,
  'secret-read': 3,
  rollback: 3,
  rows: 2,
  blob: 1,
  payload: 1,
  log: 5,
};

/** The names of secrets have slashes, and ids of operations had: they are encoded as one name of a file. */
const WITH_SLASHES: ReadonlySet<RecordKind> = new Set(['secret', 'secret-version', 'secret-read', 'rollback']);

/**
 * Returns the checked names of a record: they match its kind, and no name leads elsewhere as a path.
 *
 * @throws inputError `bad-record`
 */
export function checkRecordNames({ kind, name }: Pick<StoreRecord, 'kind' | 'name'>): string[] {
  const may = (segment: string, at: number) =>
    segment === '' ? (kind === 'key' && at === 2) || (kind.startsWith('secret') && at < 2) : segment.length <= MOST_SEGMENT;
  const leads = (segment: string) =>
    segment.startsWith('.') || segment.includes('\0') || (!WITH_SLASHES.has(kind) && segment.includes('/'));
  if (name.length !== NAMES[kind] || !name.every(may) || name.some(leads)) throw badRecord({ kind, name }, 'its name is not valid');
  return [...name];
}

export const badRecord = ({ kind, name }: Pick<StoreRecord, 'kind' | 'name'>, why: string, cause?: unknown) =>
  inputError({ code: 'bad-record', what: 'move the record', on: `${kind} ${name.join('/')}`, why }, { cause });
