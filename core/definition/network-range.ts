/** First and last address of an IPv4 range (`10.20.0.0/24`), as numbers. Undefined for other texts. */
export function rangeBounds(range: string): [first: number, last: number] | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(range)?.slice(1).map(Number);
  if (!parts) return undefined;
  const [a = 256, b = 256, c = 256, d = 256, bits = 33] = parts;
  if ([a, b, c, d].some((byte) => byte > 255) || bits > 32) return undefined;
  const size = 2 ** (32 - bits);
  const address = ((a * 256 + b) * 256 + c) * 256 + d;
  const first = address - (address % size);
  return [first, first + size - 1];
}

/** Reports whether two IPv4 ranges have a common address. False if one of the texts is not a range. */
export function rangesOverlap(one: string, other: string): boolean {
  const [a, b] = [rangeBounds(one), rangeBounds(other)];
  return a !== undefined && b !== undefined && a[0] <= b[1] && b[0] <= a[1];
}

/** Whether a range is written by its first address, as providers want it: `10.20.0.0/24`, not `10.20.0.7/24`. */
export function isWholeRange(range: string): boolean {
  const bounds = rangeBounds(range);
  if (!bounds) return false;
  const [a = 0, b = 0, c = 0, d = 0] = range.split(/[./]/).map(Number);
  return ((a * 256 + b) * 256 + c) * 256 + d === bounds[0];
}
