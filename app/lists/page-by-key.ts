import * as z from 'zod';
import { decodeCursor, encodeCursor, type ListScope } from './cursor.js';
import { MOST, type Page } from './page.js';

interface Asked {
  after?: string | undefined;
  limit?: number | undefined;
  filter?: { name?: string | undefined } | undefined;
  sort?: 'ascending' | 'descending' | undefined;
}

const key = z.string();

/**
 * Returns a page of a complete list. A cursor has the key of the last item, so that items that come and go between two
 * pages neither repeat others nor hide them.
 *
 * @param keyOf sorting key of an item, unique in the list
 * @param nameOf text that the filter compares
 * @throws inputError `bad-cursor`
 */
export function pageByKey<Item>(
  scope: ListScope,
  items: readonly Item[],
  {
    asked: { after, limit = MOST, filter, sort = 'ascending' },
    keyOf,
    nameOf = keyOf,
  }: { asked: Asked; keyOf(item: Item): string; nameOf?(item: Item): string },
): Page<Item> {
  const whole = [...scope, filter?.name ?? '', sort];
  const last = decodeCursor(whole, after, key);
  const ahead = (a: string, b: string) => (sort === 'ascending' ? a < b : a > b);
  const keyed = items
    .filter((item) => nameOf(item).includes(filter?.name ?? ''))
    .map((item) => ({ item, at: keyOf(item) }))
    .filter(({ at }) => last === undefined || ahead(last, at))
    .sort((a, b) => (ahead(a.at, b.at) ? -1 : 1));
  const page = keyed.slice(0, limit);
  const end = page.at(-1);
  return {
    items: page.map(({ item }) => item),
    ...(end && page.length < keyed.length && { next: encodeCursor(whole, end.at) }),
  };
}
