import type { BatchOperation } from '../../core/schema/batch-request.js';

/** Maximum number of pages in memory. */
const KEPT = 40;

/**
 * Creates a reader of pages with batch operations. Followers poll a batch twice a second, but a page never changes and
 * is read only once.
 */
export function pageReader(getBlob: (address: string) => Promise<string>): (address: string) => Promise<BatchOperation[]> {
  const read = new Map<string, Promise<BatchOperation[]>>();
  return (address) => {
    const known = read.get(address);
    if (known) return known;
    const page = getBlob(address).then((text) => JSON.parse(text) as BatchOperation[]);
    page.catch(() => read.delete(address));
    read.set(address, page);
    if (read.size > KEPT) read.delete(read.keys().next().value as string);
    return page;
  };
}
