import type { PayloadStore } from '../encryption/payload-store.js';
import type { BlobStore } from './blobs.js';
import type { Claims } from './claims.js';
import type { FeedStore } from './feeds.js';
import type { KeyStore } from './keys.js';
import type { LogStore } from './logs.js';
import type { RollbackStore } from './rollbacks.js';
import type { Rows } from './rows.js';
import type { SecretStore } from './secrets.js';
import type { SequenceStore } from './sequences.js';

/** Data that are stored outside of Temporal's history. */
export interface Stores {
  /** Identity of a shared store; undefined for a home's own files. */
  shared?: { id: string; name: string };
  keys: KeyStore;
  logs: LogStore;
  secrets: SecretStore;
  /** Pages of plans. */
  blobs: BlobStore;
  /** The states of entities that were begun. */
  sequences: SequenceStore;
  /** The accepted changes of infras. */
  feeds: FeedStore;
  /** Roll-back data of operations. */
  rollbacks: RollbackStore;
  /** Payloads that are too large for history. */
  payloads: PayloadStore;
  /** Which run each message that starts one was used for. */
  claims: Claims;
  /** Collections of rows, opened at the first call. Throws as `openStores`. */
  rows(): Promise<Rows>;
  close(): Promise<void>;
}
