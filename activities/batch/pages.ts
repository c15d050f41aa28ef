import { checkRequest } from '../../core/operation/check-request.js';
import type { BatchOperation } from '../../core/schema/batch-request.js';
import type { BlobStore } from '../../stores/blobs.js';

/** Pages that are kept in memory. */
const KEPT = 8;

/** Reads the pages of batches, which are asked for again and again while a batch goes through them. */
export function pagesIn(blobs: BlobStore): (address: string) => Promise<BatchOperation[]> {
  const pages = new Map<string, Promise<BatchOperation[]>>();
  return function pageAt(address: string): Promise<BatchOperation[]> {
    const known = pages.get(address);
    if (known) return known;
    const page = blobs.get(address).then((text) => {
      const operations = JSON.parse(text) as BatchOperation[];
      checkRequest('batchOperations', operations, { strict: false, on: address });
      return operations;
    });
    pages.set(address, page);
    page.catch(() => pages.delete(address));
    if (pages.size > KEPT) pages.delete(pages.keys().next().value as string);
    return page;
  };
}
