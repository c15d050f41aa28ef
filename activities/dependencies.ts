import type { Client } from '@temporalio/client';
import type { AnyProvider } from '../core/provider.js';
import type { RateLimit } from '../core/rate-limits.js';
import type { AnyTaskserv } from '../core/taskserv.js';
import type { Transports } from './host/transport.js';
import type { BlobStore } from './stores/blobs.js';
import type { KeyStore } from './stores/keys.js';
import type { LogStore } from './stores/log-store.js';

/** What activities need of a secret store. */
export interface SecretSource {
  get(name: string): Promise<string | undefined>;
  /** Names of those that are kept. */
  list(): Promise<string[]>;
  /** Makes the secret on first use and keeps it. */
  ensureGenerated(name: string): Promise<string>;
}

/** What activities are made of; workers/ puts it together. */
export interface Dependencies {
  providers: Record<string, AnyProvider>;
  taskservs: Record<string, AnyTaskserv>;
  transports: Transports;
  keys: KeyStore;
  logs: LogStore;
  /** What is too large for a history: the operations of batches. */
  blobs: BlobStore;
  secrets: SecretSource;
  /** The environment in which accounts are looked for. Default: the process's. */
  env?: Readonly<Record<string, string | undefined>>;
  /** For starting and reading the infra's entity. */
  temporal: Client;
  taskQueue: string;
  /** The accounts that may only be asked so often, and all hosts together. */
  limits?: AccountLimits;
  /** Aborted as soon as the worker is told to end: what only watches need not be waited for. */
  stopping?: AbortSignal;
}

/** Limits and the task queues that keep them, by account (core/account.ts); `hosts` is all hosts together. */
export interface AccountLimits {
  get(name: string): { limit: RateLimit; queue: string } | undefined;
}
