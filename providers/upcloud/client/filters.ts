import type { Query } from './http.js';

/** Label filter: only a key (with any value), or a key with its value. Several filters must all match. */
export type LabelFilter = string | { key: string; value: string };

export const labelQuery = (labels: readonly LabelFilter[] = []): Query =>
  labels.map((filter) => ['label', typeof filter === 'string' ? filter : `${filter.key}=${filter.value}`] as const);

/** At most 100 items per page. */
export interface Page {
  limit: number;
  offset: number;
}

const PAGE_SIZE = 100;

/** Returns all pages in sequence, or the requested page. */
export async function allPages<T>(fetchPage: (query: Query) => Promise<T[]>, page?: Page): Promise<T[]> {
  if (page) return fetchPage(pageQuery(page));
  const all: T[] = [];
  for (;;) {
    const found = await fetchPage(pageQuery({ limit: PAGE_SIZE, offset: all.length }));
    all.push(...found);
    if (found.length < PAGE_SIZE) return all;
  }
}

const pageQuery = ({ limit, offset }: Page): Query => [
  ['limit', String(limit)],
  ['offset', String(offset)],
];
