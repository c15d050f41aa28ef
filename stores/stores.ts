import { type BlobStore, blobFiles } from '../activities/stores/blobs.js';
import { type Claims, claimFiles } from '../activities/stores/claims.js';
import { keyFiles } from '../activities/stores/key-files.js';
import type { KeyStore } from '../activities/stores/keys.js';
import { type LogStore, logFiles } from '../activities/stores/log-store.js';
import { sequenceFiles } from '../activities/stores/sequence-files.js';
import type { SequenceStore } from '../activities/stores/sequences.js';
import type { Home } from '../config/home.js';
import { type PayloadStore, payloadFiles } from '../encryption/payload-store.js';
import { FileSecretStore } from '../secrets/file-secret-store.js';
import type { SecretStore } from '../secrets/secret-store.js';

/** What is kept beside Temporal's history. */
export interface Stores {
  /** Who shares it; undefined for a home's own files. */
  shared?: { id: string; name: string };
  keys: KeyStore;
  logs: LogStore;
  secrets: SecretStore;
  /** Pages of plans. */
  blobs: BlobStore;
  /** The states of entities that were begun. */
  sequences: SequenceStore;
  /** What is too large for history. */
  payloads: PayloadStore;
  /** Which run each message that starts one was used for. */
  claims: Claims;
  close(): Promise<void>;
}

/**
 * The stores of a set-up: PostgreSQL's where `PROVISIONING_STORE` names one,
 * which a team's workers share, else files of the home.
 *
 * @throws inputError and unreachableError of codes that begin with `store-`
 */
export async function openStores(home: Home, env: NodeJS.ProcessEnv = process.env): Promise<Stores> {
  const url = env.PROVISIONING_STORE;
  if (url) {
    const { openShared } = await import('./postgres/shared.js');
    return openShared(url, home, env);
  }
  return {
    keys: keyFiles(home.keys),
    logs: logFiles(home.operations),
    secrets: new FileSecretStore(home.secrets, env),
    payloads: payloadFiles(home.payloads),
    blobs: blobFiles(home.batches),
    sequences: sequenceFiles(home.sequences),
    claims: claimFiles(home.claims),
    close: async () => {},
  };
}
