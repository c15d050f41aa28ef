import { createHash } from 'node:crypto';
import type { Definition } from '../../core/definition/definition.js';
import { checkRequest } from '../../core/operation/check-request.js';
import type { BlobStore } from '../../stores/blobs.js';

/** Definitions that are kept in memory. */
const KEPT = 64;

/** A definition that operations of a batch are to apply to one infra, with its content address. */
export interface BatchDefinition {
  hash: string;
  definition: Definition;
}

/** Reads the definitions of batches, which are asked for with each of their operations: for an infra, of which one file may make many. */
export function definitionsIn(blobs: BlobStore): (address: string, infra: string) => Promise<BatchDefinition> {
  const known = new Map<string, Promise<BatchDefinition>>();

  async function read(address: string, infra: string): Promise<BatchDefinition> {
    const definition = { ...(JSON.parse(await blobs.get(address)) as Definition), infra };
    checkRequest('definition', definition, { strict: false, on: infra });
    // The same as addressOf of core/infra/definition-log.ts, and faster.
    return { hash: createHash('sha256').update(JSON.stringify(definition)).digest('hex'), definition };
  }

  return (address, infra) => {
    const key = `${address} ${infra}`;
    const found = known.get(key) ?? read(address, infra);
    // The one that was used last goes last.
    known.delete(key);
    known.set(key, found);
    found.catch(() => known.delete(key));
    if (known.size > KEPT) known.delete(known.keys().next().value as string);
    return found;
  };
}
