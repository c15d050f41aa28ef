const partsOf = (version: string): string[] => version.match(/\d+|[A-Za-z]+/g) ?? [];

/**
 * Compares versions as they are written by those who count by hand: numbers as numbers, letters as letters, the newer
 * one first. A letter after a number is what follows it (`9.2p1`), unless a dash or a tilde says that it comes before
 * (`2.0-rc1`).
 */
export function newestFirst(a: string, b: string): number {
  const [released, before] = [a, b].map((text) => text.split(/[-~]/, 1)[0] ?? '') as [string, string];
  const order = compare(released, before);
  if (order !== 0) return order;
  const [early, other] = [a, b].map((text) => /[-~]/.test(text));
  if (early !== other) return early ? 1 : -1;
  return compare(a, b);
}

function compare(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [one, two] = [left[index], right[index]];
    if (one === undefined) return 1;
    if (two === undefined) return -1;
    if (one === two) continue;
    const [number, other] = [Number(one), Number(two)];
    if (Number.isNaN(number) || Number.isNaN(other)) return one < two ? 1 : -1;
    if (number !== other) return other - number;
  }
  return 0;
}
