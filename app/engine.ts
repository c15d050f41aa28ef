import type { Client as Temporal } from '@temporalio/client';
import type { BatchOperation } from '../core/operation/batch.js';
import type { FeedStore } from '../stores/feeds.js';
import type { RollbackStore } from '../stores/rollbacks.js';
import { knownWorkflows } from './batch/cut-batch.js';
import { pageReader } from './batch/pages.js';
import type { LogEntry } from './schemas/operation.js';
import type { WorkerWatch } from './temporal/worker-there.js';

type Owner = { workspace: string; infra: string };

/** What is kept beside Temporal, where the worker is. */
export interface EngineStores {
  putBlob(text: string): Promise<string>;
  hasBlob(address: string): Promise<boolean>;
  getBlob(address: string): Promise<string>;
  readLogs(operation: string): Promise<LogEntry[]>;
  /** What is kept of an operation that did something. */
  findRollback(operation: string): ReturnType<RollbackStore['find']>;
  /** The accepted changes of all lives of an infra. */
  readFeeds(owner: Owner): ReturnType<FeedStore['read']>;
  /** The infras that there is a feed of, those that were deleted too. */
  listFeeds(): ReturnType<FeedStore['infras']>;
  /** The names of the infras of a workspace that have a key. */
  listKeys(workspace: string): Promise<string[]>;
  publicKey(owner: Owner): Promise<string>;
  pinHostKey(owner: Owner, server: string, key: string): Promise<void>;
  forgetHostKey(owner: Owner, server: string): Promise<void>;
}

export interface EngineOptions {
  temporal: Temporal;
  taskQueue: string;
  /** Whether the connection is a worker's own: operations then start without going through the queue. */
  besideWorker?: boolean;
  stores: EngineStores;
  /** Whether the worker beside it may work on its own machine; absent: the worker says so itself. */
  allowsThisHost?: () => Promise<boolean>;
  /** Where no worker is beside it: whether one is there, and a way to Temporal for what may wait for one. */
  elsewhere?: { worker: WorkerWatch; patient: Temporal };
}

/** What methods are run by: a connection to Temporal, and what is kept beside it. */
export interface Engine extends EngineOptions {
  /** Reads a page of a batch's operations. */
  batchPage(address: string): Promise<BatchOperation[]>;
  /** Those of these workflows that there are. */
  existing(ids: string[]): Promise<ReadonlySet<string>>;
}

export const engineOf = (options: EngineOptions): Engine => ({
  ...options,
  batchPage: pageReader(options.stores.getBlob),
  existing: knownWorkflows(options.temporal),
});
