import type { Stores } from '../stores.js';

/** Names of calls that change nothing. All other calls count as writes, also of a store that is added later. */
const READS: ReadonlySet<string> = new Set([
  'check',
  'find',
  'get',
  'has',
  'heads',
  'history',
  'infras',
  'inspect',
  'list',
  'listScoped',
  'pinned',
  'read',
  'reads',
  'size',
  'version',
]);
/** Names of calls that return a part of a store, whose calls are checked in turn. */
const PARTS: ReadonlySet<string> = new Set(['log', 'table', 'within']);

/**
 * Waits while a store is held, before and after each write: a write that a move has overtaken is not acknowledged.
 *
 * @throws unreachableError `store-moved`
 */
export type Fence = () => Promise<void>;

/** Wraps stores so that a move of their state refuses writes. */
export function fenceStores(stores: Stores, fence: Fence): Stores {
  const { shared, close, rows, ...kept } = stores;
  const fenced = Object.fromEntries(Object.entries(kept).map(([name, store]) => [name, fencePart(store, fence)]));
  return {
    ...(fenced as typeof kept),
    ...(shared && { shared }),
    rows: async () => fencePart(await rows(), fence),
    close,
  };
}

/** A part of them. */
export function fencePart<T extends object>(part: T, fence: Fence): T {
  return new Proxy(part, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function' || typeof name !== 'string' || name === 'close') return value;
      if (PARTS.has(name)) return (...args: unknown[]) => fencePart(value.apply(target, args), fence);
      if (READS.has(name)) return value.bind(target);
      return async (...args: unknown[]) => {
        await fence();
        const answer: unknown = await value.apply(target, args);
        await fence();
        return answer;
      };
    },
  });
}
