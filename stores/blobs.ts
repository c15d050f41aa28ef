import type { StoreSize } from '../core/engine/engine.js';
import { inputError } from '../core/errors.js';

/** Texts by content address: what is too large for a workflow's history. Written once, never changed. */
export interface BlobStore {
  /** @returns its address */
  put(text: string): Promise<string>;
  /** Whether a text lies at an address. */
  has(address: string): Promise<boolean>;
  /** Throws the input error `blob-missing`. */
  get(address: string): Promise<string>;
  size(): Promise<StoreSize>;
}

/** What a text is sealed for: it cannot stand for another. */
export const contextOfBlob = (address: string): string => `blob/${address}`;

/** The error for an address that nothing lies at. */
export const blobMissing = (address: string) =>
  inputError({
    code: 'blob-missing',
    what: 'read what was kept outside the history',
    on: address,
    why: 'the store does not have it',
    hint: 'check whether the folder batches of PROVISIONING_HOME was removed, or PROVISIONING_STORE changed',
  });
