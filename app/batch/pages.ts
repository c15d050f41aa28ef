import type { BatchOperation } from '../../core/schema/batch-request.js';

/** Pages that are kept in memory, at most. */
const KEPT = 40;

/** Reads pages of batches' operations. Who follows a batch asks twice a second: pages never change, and are read once. */
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
