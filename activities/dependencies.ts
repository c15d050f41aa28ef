import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { EnvironmentEnd } from '../core/environment/test-environment.js';
import type { AnyProvider } from '../core/machine/provider.js';
import type { RateLimit } from '../core/operation/rate-limits.js';
import type { SecretScope } from '../core/taskserv/secret-reach.js';
import type { AnyTaskserv } from '../core/taskserv/taskserv.js';
import type { BlobStore } from '../stores/blobs.js';
import type { FeedStore } from '../stores/feeds.js';
import type { KeyStore } from '../stores/keys.js';
import type { LogStore } from '../stores/logs.js';
import type { RollbackStore } from '../stores/rollbacks.js';
import type { SecretRead } from '../stores/secret-reads.js';
import type { Maker, ScopedName, ScopedSecrets } from '../stores/secrets.js';
import type { SequenceStore } from '../stores/sequences.js';
import type { AuthorityDecider } from './access/decide-authority.js';
import type { ArtifactCache } from './artifacts/artifact-cache.js';
import type { Sealer } from './host/journal/sealed-journal.js';
import type { Transports } from './host/transport.js';

/** Secret store for activities. */
export interface SecretSource {
  get(name: string): Promise<string | undefined>;
  /** Names of those that are kept. */
  list(): Promise<string[]>;
  /** Lists the secrets of a workspace and its infras. */
  listScoped(workspace: string): Promise<ScopedName[]>;
  /** Makes the secret on first use and keeps it. */
  ensureGenerated(name: string, maker?: Maker): Promise<string>;
  /** Keeps who was given a value. */
  noteRead(name: string, read: SecretRead): Promise<void>;
  /** Secrets of only a workspace or an infra. */
  within(scope: SecretScope): Pick<ScopedSecrets, 'get' | 'set' | 'delete' | 'noteRead'>;
}

/** Lists the workflows that a query of Temporal's finds, so many at a time, without their memos. */
export type ListWorkflows = (query: string, pageSize?: number) => AsyncIterable<WorkflowExecutionInfo>;

/** Dependencies of activities. workers/ creates them. */
export interface Dependencies {
  providers: Record<string, AnyProvider>;
  taskservs: Record<string, AnyTaskserv>;
  transports: Transports;
  keys: KeyStore;
  logs: LogStore;
  /** Data that is too large for a history: the operations of batches. */
  blobs: BlobStore;
  /** Artifacts that the worker fetches for hosts. */
  artifacts: ArtifactCache;
  secrets: SecretSource;
  /** For what hosts keep of former files and secrets. */
  sealer: Sealer;
  /** The states of entities that were begun. */
  sequences: SequenceStore;
  /** The accepted changes of infras. */
  feeds: FeedStore;
  /** Data for roll-backs of operations. */
  rollbacks: RollbackStore;
  /** The environment in which accounts are looked for. Default: the process's. */
  env?: Readonly<Record<string, string | undefined>>;
  /** For starting and reading the infra's entity. */
  temporal: Client;
  /** The one way to list workflows: Temporal's own decodes what strangers wrote, and ends with it. */
  list: ListWorkflows;
  taskQueue: string;
  /** The accounts that may only be asked so often, and all hosts together. */
  limits?: AccountLimits;
  /** Whether definitions may name the machine of the worker (`host: this`). Default: no. */
  allowsThisHost?: () => Promise<boolean>;
  /** Decides again what the principal of an operation may do. Default: whatever was allowed when it was submitted. */
  decideAuthority?: AuthorityDecider;
  /** Records the removal of a test environment without a call. Default: nothing is recorded. */
  recordEnd?: (end: EnvironmentEnd) => Promise<void>;
  /** Whether the worker may connect only to public addresses for the definitions of a workspace. Default: no. */
  needsPublicAddresses?: (workspace: string) => Promise<boolean>;
  /** How long a new machine may take, in milliseconds: until it answers, and for its first boot. */
  firstContact?: { answerMs?: number; bootMs?: number };
  /** Settings of a provider's configuration, by field. */
  providerSettings?: (provider: string) => Record<string, unknown>;
  /** Aborted when the worker must end: watches need not be awaited. */
  stopping?: AbortSignal;
}

/** Limits and the task queues that keep them, by account (core/machine/account.ts); `hosts` is all hosts together. */
export interface AccountLimits {
  get(name: string): { limit: RateLimit; queue: string } | undefined;
}
