import type { Client as Temporal } from '@temporalio/client';
import type { BatchOperation } from '../core/schema/batch-request.js';
import type { Home } from '../home/home.js';
import type { BlobStore } from '../stores/blobs.js';
import type { FeedStore } from '../stores/feeds.js';
import type { KeyStore } from '../stores/keys.js';
import type { LogStore } from '../stores/logs.js';
import type { RollbackStore } from '../stores/rollbacks.js';
import type { Rows } from '../stores/rows.js';
import type { SecretStore } from '../stores/secrets.js';
import type { HostScripts } from './application/host-scripts.js';
import type { BackupProgram } from './backup/backup-program.js';
import { readKnownWorkflows } from './batch/cut-batch.js';
import { pageReader } from './batch/pages.js';
import type { WorkerWatch } from './temporal/worker-there.js';

/** Stores that methods need, on the worker's machine. */
export interface MethodStores {
  blobs: Pick<BlobStore, 'put' | 'has' | 'get'>;
  logs: Pick<LogStore, 'read'>;
  rollbacks: Pick<RollbackStore, 'find'>;
  feeds: Pick<FeedStore, 'read' | 'infras' | 'heads'>;
  keys: Pick<KeyStore, 'infraKey' | 'infras' | 'pinned' | 'pin' | 'forget'>;
  /** Absent if no worker is beside the stores. */
  secrets?: SecretStore;
  /** Absent like `secrets`. */
  rows?(): Promise<Rows>;
}

/** The home of the platform, which has its settings, workspaces and keys. */
export interface HomeBeside {
  home: Home;
  /** The environment at the start of this process, without the settings of the home. */
  env: NodeJS.ProcessEnv;
}

export interface EngineOptions {
  temporal: Temporal;
  taskQueue: string;
  /** The Worker Deployment of the workers; absent if they have no versions. */
  deployment?: string;
  /** Build of the home's worker; absent if the home has no worker. */
  build?: string;
  /** Whether the connection is a worker's own: operations then start without going through the queue. */
  besideWorker?: boolean;
  stores: MethodStores;
  /** Absent if this process has no home. */
  beside?: HomeBeside;
  /** Absent without a worker. */
  backups?: BackupProgram;
  /** Absent like `backups`. */
  hostScripts?: HostScripts;
  /** Whether the worker beside it may work on its own machine; absent: the worker decides. */
  allowsThisHost?: () => Promise<boolean>;
  /**
   * Set if no worker is on this machine: whether a worker runs elsewhere, and a client of Temporal for calls that may
   * wait for it.
   */
  elsewhere?: { worker: WorkerWatch; patient: Temporal };
}

/** Context in which methods run: a connection to Temporal, and the stores beside it. */
export interface Engine extends EngineOptions {
  /** Reads a page of a batch's operations. */
  batchPage(address: string): Promise<BatchOperation[]>;
  /** Returns which of these workflows exist. */
  existing(ids: string[]): Promise<ReadonlySet<string>>;
}

export const createEngine = (options: EngineOptions): Engine => ({
  ...options,
  batchPage: pageReader((address) => options.stores.blobs.get(address)),
  existing: readKnownWorkflows(options.temporal),
});
