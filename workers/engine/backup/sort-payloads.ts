import type { StoreSize } from '../../../core/engine/engine.js';
import { ProvisioningError } from '../../../core/errors.js';
import type { Cipher } from '../../../encryption/cipher.js';
import { openStored } from '../../../encryption/payload-codec.js';
import type { PayloadStore, StoredPayload } from '../../../encryption/payload-store.js';

/** Maximum number of missing payloads that are named. */
const NAMED = 20;

interface Sorting {
  referred: ReadonlySet<string>;
  before: Date;
  cipher: Cipher;
  namespace: string;
}

/**
 * Sorts payloads by whether a sweep may remove them. It may remove payloads that no history refers to, that were not
 * stored recently, and that were sealed for the namespace.
 *
 * @returns the number of each kind, the first missing payloads, and the payloads to remove
 */
export async function sortPayloads(store: PayloadStore, { referred, before, cipher, namespace }: Sorting) {
  const [garbage, young, foreign] = [nothing(), nothing(), nothing()];
  const missing = new Set(referred);
  const remove: StoredPayload[] = [];
  for await (const payload of store.list()) {
    missing.delete(payload.sha256);
    if (referred.has(payload.sha256)) continue;
    if (payload.used >= before) count(young, payload);
    else if (!(await isOurs(store, payload, cipher, namespace))) count(foreign, payload);
    else {
      count(garbage, payload);
      remove.push(payload);
    }
  }
  return { garbage, young, foreign, missing: [...missing].slice(0, NAMED), remove };
}

/** Returns whether a payload was sealed for the namespace whose histories were read. */
async function isOurs(store: PayloadStore, { sha256 }: StoredPayload, cipher: Cipher, namespace: string): Promise<boolean> {
  const sealed = await store.get(sha256);
  try {
    if (sealed) await openStored(cipher, namespace, sealed);
    return sealed !== undefined;
  } catch (error) {
    if (error instanceof ProvisioningError) return false;
    throw error;
  }
}

const nothing = (): StoreSize => ({ count: 0, bytes: 0 });

function count(sum: StoreSize, { bytes }: StoredPayload): void {
  sum.count++;
  sum.bytes += bytes;
}
