import type { StoreSize } from '../core/engine/engine.js';

/** Stored payload, as listed for a sweep. */
export interface StoredPayload {
  sha256: string;
  bytes: number;
  /** Time at which it was last written. */
  used: Date;
}

/** Store for payloads that are too large for the history, by the SHA-256 of their encrypted bytes. */
export interface PayloadStore {
  /** Stores bytes durably. Equal bytes are stored once. */
  put(sha256: string, bytes: Uint8Array): Promise<void>;
  get(sha256: string): Promise<Uint8Array | undefined>;
  size(): Promise<StoreSize>;
  /** Yields all payloads. */
  list(): AsyncGenerator<StoredPayload>;
  /**
   * Removes a payload unless it was written since. A concurrent `put` keeps the payload.
   *
   * @returns whether it was removed
   */
  remove(sha256: string, unlessUsedSince: Date): Promise<boolean>;
}
