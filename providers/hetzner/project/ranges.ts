import { inputError } from '../../../sdk/index.js';

interface Range {
  first: number;
  last: number;
}

/** Parses an IPv4 range to its bounds; undefined for any other text. */
export function parseRange(text: string): Range | undefined {
  const [, a = '', b = '', c = '', d = '', length = ''] = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(text) ?? [];
  const parts = [a, b, c, d].map(Number);
  if (length === '' || Number(length) > 32 || parts.some((part) => part > 255)) return undefined;
  const size = 2 ** (32 - Number(length));
  const address = parts.reduce((sum, part) => sum * 256 + part, 0);
  const first = Math.floor(address / size) * size;
  return { first, last: first + size - 1 };
}

export function overlap(a: string, b: string): boolean {
  const [one, two] = [parseRange(a), parseRange(b)];
  return one !== undefined && two !== undefined && one.first <= two.last && two.first <= one.last;
}

/** Returns an unused range of 65,536 addresses. */
export function freeRange(used: readonly string[]): string {
  for (let second = 0; second < 256; second++) {
    const range = `10.${second}.0.0/16`;
    if (!used.some((one) => overlap(one, range))) return range;
  }
  throw inputError({
    code: 'no-subnet-left',
    what: 'choose a range for the network',
    why: 'networks in the project use all addresses of 10.0.0.0/8',
    hint: 'set a range for the network in the definition, or delete unused networks',
  });
}

/**
 * Returns the next part of a range for a network zone: 256 addresses, or all of a smaller range. Undefined if all are
 * used.
 */
export function freeSubnet(range: string, used: readonly string[]): string | undefined {
  const whole = parseRange(range);
  if (!whole) return undefined;
  if (whole.last - whole.first < 256) return used.length === 0 ? range : undefined;
  for (let at = whole.first; at <= whole.last; at += 256) {
    const part = `${[24, 16, 8, 0].map((shift) => Math.floor(at / 2 ** shift) % 256).join('.')}/24`;
    if (!used.some((one) => overlap(one, part))) return part;
  }
  return undefined;
}
