import type { Stored } from '../core/engine/engine.js';

/** Where payloads lie that are too large for history, under the SHA-256 of their encrypted bytes. */
export interface PayloadStore {
  /** Durable when it returns; the same bytes are kept once. */
  put(sha256: string, bytes: Uint8Array): Promise<void>;
  get(sha256: string): Promise<Uint8Array | undefined>;
  size(): Promise<Stored>;
}
