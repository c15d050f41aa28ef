import type { CST } from 'yaml';

type Collection = CST.BlockMap | CST.BlockSequence;
type Item = Collection['items'][number];

/**
 * Moves comments that are less indented than the list or map before them out of it. The library leaves all comments at
 * such a place in the innermost collection as soon as one of them belongs there.
 */
export function placeComments(token: CST.Token): void {
  if (token.type === 'document') {
    const { value } = token;
    if (!value) return;
    placeComments(value);
    if (isCollection(value)) token.end = [...takeOutside(value, value.indent), ...(token.end ?? [])];
    return;
  }
  if (!isCollection(token)) return;
  // The list grows if its last item had comments that belong to the list.
  for (let index = 0; index < token.items.length; index++) {
    const { value } = token.items[index] as Item;
    if (!value || !isCollection(value)) continue;
    placeComments(value);
    const outside = takeOutside(value, value.indent);
    if (outside.length === 0) continue;
    const next = token.items[index + 1] as Item | undefined;
    if (next) next.start.unshift(...outside);
    else token.items.push({ start: outside });
  }
}

const isCollection = (token: CST.Token): token is Collection => token.type === 'block-map' || token.type === 'block-seq';

/** Removes the end of a collection, from the first comment that is less indented, and returns it. */
function takeOutside(collection: Collection, indent: number): CST.SourceToken[] {
  const last = collection.items.at(-1);
  if (!last || last.value || ('sep' in last && last.sep) || ('key' in last && last.key)) return [];
  const first = last.start.findIndex(
    (one) => one.type === 'comment' && (one as { indent?: number }).indent !== undefined && one.indent < indent,
  );
  if (first === -1) return [];
  const outside = last.start.splice(first);
  if (last.start.length === 0) collection.items.pop();
  return outside;
}
