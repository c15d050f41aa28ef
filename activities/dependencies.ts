import type { Client } from '@temporalio/client';
import { inputError } from '../core/errors.js';
import type { AnyProvider, ProviderConnection } from '../core/provider.js';
import type { AnyTaskserv } from '../core/taskserv.js';
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
  /** Aborted as soon as the worker is told to end: what only watches need not be waited for. */
  stopping?: AbortSignal;
}

/** Connects each provider once in the life of the worker. */
export function providerConnections(providers: Record<string, AnyProvider>): (name: string) => Promise<ProviderConnection> {
  const open = new Map<string, Promise<ProviderConnection>>();
  return (name) => {
    const known = open.get(name);
    if (known) return known;
    const provider = providers[name];
    if (!provider) throw inputError({ code: 'unknown-provider', what: 'connect', on: name, why: 'no such provider' });
    const connection = provider.connect(provider.config.parse({}));
    open.set(name, connection);
    connection.catch(() => open.delete(name));
    return connection;
  };
}
