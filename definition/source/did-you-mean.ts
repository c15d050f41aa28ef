/** How many letters have to be added, removed, changed or swapped with their neighbour to turn one text into another. */
export function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, index) => index)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    rows[i] = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : changed;
      (rows[i] as number[])[j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, changed, swapped);
    }
  }
  return at(a.length, b.length);
}

/** Nothing that is known is longer, and looking takes time by the length, in characters. */
const LONGEST = 100;

/** The known name nearest to what was written, where one is near enough to be meant. */
export function nearest(written: string, known: Iterable<string>): string | undefined {
  if (written.length > LONGEST) return undefined;
  const limit = Math.max(1, Math.floor(written.length / 3));
  const text = written.toLowerCase();
  let best: { name: string; score: number } | undefined;
  for (const name of known) {
    const score = distance(text, name.toLowerCase());
    if (score <= limit && (!best || score < best.score)) best = { name, score };
  }
  if (best) return best.name;
  return text.length < 3 ? undefined : [...known].find((name) => name.startsWith(text) || text.startsWith(`${name}-`));
}

/** A sentence: `did you mean "redis"?`, or which names there are. */
export function didYouMean(written: string, known: Iterable<string>): string | undefined {
  const names = [...known];
  const name = nearest(written, names);
  if (name !== undefined) return `did you mean "${name}"?`;
  return names.length === 0 ? undefined : `known: ${names.sort().slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`;
}
