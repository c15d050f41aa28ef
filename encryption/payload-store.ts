import type { StoreSize } from '../core/engine/engine.js';

/** A payload as a sweep sees it. */
export interface StoredPayload {
  sha256: string;
  bytes: number;
  /** When it was put last, which is also when it was put again. */
  used: Date;
}

/** Where payloads lie that are too large for history, under the SHA-256 of their encrypted bytes. */
export interface PayloadStore {
  /** Durable when it returns; the same bytes are kept once. */
  put(sha256: string, bytes: Uint8Array): Promise<void>;
  get(sha256: string): Promise<Uint8Array | undefined>;
  size(): Promise<StoreSize>;
  /** All there are. */
  list(): AsyncGenerator<StoredPayload>;
  /**
   * Removes a payload unless it was put since; who puts it meanwhile has it afterwards.
   *
   * @returns whether it was removed
   */
  remove(sha256: string, unlessUsedSince: Date): Promise<boolean>;
}
