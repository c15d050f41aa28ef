import type { Client } from '@temporalio/client';
import { inputError } from '../core/errors.js';
import type { AnyProvider, ProviderConnection } from '../core/provider.js';
import type { RateLimit } from '../core/rate-limits.js';
import type { AnyTaskserv } from '../core/taskserv.js';
import { gated, openGate } from './account-gate.js';
import type { Transports } from './host/transport.js';
import type { BlobStore } from './stores/blobs.js';
import type { KeyStore } from './stores/keys.js';
import type { LogStore } from './stores/log-store.js';

/** What activities need of a secret store. */
export interface SecretSource {
  get(name: string): Promise<string | undefined>;
  /** Makes the secret on first use and keeps it. */
  ensureGenerated(name: string, kind: 'password'): Promise<string>;
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
  /** For starting and reading the infra's entity. */
  temporal: Client;
  taskQueue: string;
  /** The accounts that may only be asked so often, and all hosts together. */
  limits?: AccountLimits;
  /** Aborted as soon as the worker is told to end: what only watches need not be waited for. */
  stopping?: AbortSignal;
}

/** Limits and the task queues that keep them, by provider's name; `hosts` is all hosts together. */
export type AccountLimits = ReadonlyMap<string, { limit: RateLimit; queue: string }>;

/** Connects each provider once in the life of the worker; what an account asks of one caller holds for all. */
export function providerConnections(
  providers: Record<string, AnyProvider>,
  limits: AccountLimits = new Map(),
): (name: string) => Promise<ProviderConnection> {
  const open = new Map<string, Promise<ProviderConnection>>();
  return (name) => {
    const known = open.get(name);
    if (known) return known;
    const provider = providers[name];
    if (!provider) throw inputError({ code: 'unknown-provider', what: 'connect', on: name, why: 'no such provider' });
    const gate = openGate(name, limits.get(name)?.limit);
    const connection = provider.connect(provider.config.parse({})).then((open) => gated(open, gate));
    open.set(name, connection);
    connection.catch(() => open.delete(name));
    return connection;
  };
}
