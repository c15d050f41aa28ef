import type { StoreSize } from '../core/engine/engine.js';
import { inputError } from '../core/errors.js';

/** Texts by content address that are too large for a workflow's history. Written once, never changed. */
export interface BlobStore {
  /** @returns its address */
  put(text: string): Promise<string>;
  /** Returns whether an address has a text. */
  has(address: string): Promise<boolean>;
  /** Throws the input error `blob-missing`. */
  get(address: string): Promise<string>;
  size(): Promise<StoreSize>;
}

/** Returns the context that a text is sealed for, so that it cannot replace another text. */
export const contextOfBlob = (address: string): string => `blob/${address}`;

/** Creates the error for an address without a text. */
export const blobMissing = (address: string) =>
  inputError({
    code: 'blob-missing',
    what: 'read what was kept outside the history',
    on: address,
    why: 'the store does not have it',
    hint: 'check whether the folder batches of PROVISIONING_HOME was removed, or PROVISIONING_STORE changed',
  });
