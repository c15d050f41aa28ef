import type { Pages } from '../app/method.js';

/** Maximum number of requested items on a page, as platforms accept it. */
const MOST = 1_000;

interface Asked {
  after?: string;
  limit?: number;
}

interface Page {
  items: unknown[];
  next?: string;
  [beside: string]: unknown;
}

/**
 * Returns the items of a list, page by page, until its end or the caller's limit. A list without pages is returned as
 * it is: from a worker of a former build, or from a client that has combined the pages.
 *
 * @param call requests one page
 * @returns the items, or an object with them and the other fields of any page
 */
export async function allPages(
  call: (input: unknown) => Promise<unknown>,
  input: unknown,
  { key, first, beside }: Pages,
): Promise<unknown> {
  const asked = (input ?? {}) as Asked;
  const most = asked.limit ?? first;
  const items: unknown[] = [];
  const others = new Map((beside ?? []).map((field) => [field, new Map<string, unknown>()]));
  const known = new Set<unknown>();
  for (let next = (asked.limit ?? 0) > MOST ? { ...asked, limit: MOST } : input; ; ) {
    const page = (await call(next)) as Page | unknown[];
    if (Array.isArray(page)) return page;
    // Each page may name the same ones.
    for (const [field, found] of others) for (const one of page[field] as unknown[]) found.set(JSON.stringify(one), one);
    for (const item of page.items) {
      // An item that changes may have moved to a later page.
      const id = key === undefined ? item : (item as Record<string, unknown>)[key];
      if (known.has(id)) continue;
      known.add(id);
      items.push(item);
    }
    if (page.next === undefined || (most !== undefined && items.length >= most)) {
      if (!beside) return items;
      return { items, ...Object.fromEntries([...others].map(([field, found]) => [field, [...found.values()]])) };
    }
    next = { ...asked, after: page.next, ...(most !== undefined && { limit: Math.min(most - items.length, MOST) }) };
  }
}
