import { inputError, quickHash } from '../../../sdk/index.js';

/** IPv4 or IPv6 addresses as numbers, the last one included. */
export interface Range {
  family: 'IPv4' | 'IPv6';
  first: bigint;
  last: bigint;
}

const BITS = { IPv4: 32, IPv6: 128 } as const;

/** Parses a CIDR; undefined for other text. */
export function parseRange(cidr: string): Range | undefined {
  const [address = '', bits] = cidr.split('/');
  const family = address.includes(':') ? 'IPv6' : 'IPv4';
  const first = parseAddress(address);
  const prefix = bits === undefined ? BITS[family] : Number(bits);
  if (first === undefined || !Number.isInteger(prefix) || prefix < 0 || prefix > BITS[family]) return undefined;
  const size = 1n << BigInt(BITS[family] - prefix);
  const start = first - (first % size);
  return { family, first: start, last: start + size - 1n };
}

/** Formats a range as a CIDR; undefined if no single CIDR fits. */
export function formatCidr({ family, first, last }: Range): string | undefined {
  const size = last - first + 1n;
  const host = size.toString(2).length - 1;
  if (size <= 0n || size !== 1n << BigInt(host) || first % size !== 0n) return undefined;
  return `${formatAddress(first, family)}/${BITS[family] - host}`;
}

export const overlap = (a: Range, b: Range): boolean => a.family === b.family && a.first <= b.last && b.first <= a.last;

export const formatAddress = (value: bigint, family: Range['family']): string =>
  family === 'IPv4'
    ? [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
    : shortened([112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => ((value >> shift) & 0xffffn).toString(16)));

/** Shortens IPv6 groups: `2001:db8::1` for `2001:db8:0:0:0:0:0:1`. */
const shortened = (groups: string[]): string => {
  const text = groups.join(':');
  const runs = [...text.matchAll(/(?:^|(?<=:))0(?::0)+(?=$|:)/g)].sort(([a], [b]) => b.length - a.length);
  const [longest] = runs;
  if (!longest) return text;
  // The match has its place: a search for its text could also find the end of a group such as 10.
  const { 0: zeros, index } = longest;
  return `${text.slice(0, index).replace(/:$/, '')}::${text.slice(index + zeros.length).replace(/^:/, '')}`;
};

export function parseAddress(address: string): bigint | undefined {
  if (!address.includes(':')) {
    const octets = address.split('.').map(Number);
    if (octets.length !== 4 || octets.some((octet) => !Number.isInteger(octet) || octet < 0 || octet > 255)) return undefined;
    return octets.reduce((sum, octet) => sum * 256n + BigInt(octet), 0n);
  }
  const [head = '', tail] = address.split('::');
  const front = head.split(':').filter(Boolean);
  const back = tail?.split(':').filter(Boolean) ?? [];
  const groups = tail === undefined ? front : [...front, ...Array(Math.max(0, 8 - front.length - back.length)).fill('0'), ...back];
  if (groups.length !== 8 || groups.some((group) => !/^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return groups.reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n);
}

/** 172.20.0.0 to 172.31.255.0: private, and neither UpCloud's utility network nor Docker's first choice. */
const CHOICES = 12 * 256;

/** Chooses a /24 for a network without a range: the same for the same network, unless the account already uses it. */
export function freeRange(of: string, taken: readonly string[]): string {
  const used = taken.flatMap((cidr) => parseRange(cidr) ?? []);
  const start = [...quickHash(of)].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % CHOICES, 0);
  for (let step = 0; step < CHOICES; step++) {
    const choice = (start + step) % CHOICES;
    const cidr = `172.${20 + Math.floor(choice / 256)}.${choice % 256}.0/24`;
    const range = parseRange(cidr);
    if (range && !used.some((one) => overlap(one, range))) return cidr;
  }
  throw inputError({ code: 'network-range', what: 'choose a range', on: of, why: 'all of 172.20.0.0 to 172.31.255.255 is in use' });
}

/** Throws the input errors `network-range` and `network-overlap`. */
export function assertRange(on: string, cidr: string, taken: readonly { name: string; cidr: string }[]): void {
  const range = parseRange(cidr);
  if (range?.family !== 'IPv4' || formatCidr(range) !== cidr) {
    const why = range?.family === 'IPv4' ? `it begins at ${formatCidr(range)}` : 'it is not an IPv4 range';
    throw inputError({
      code: 'network-range',
      what: 'make the network',
      on,
      why: `${cidr}: ${why}`,
      hint: 'write a range such as 10.20.0.0/24',
    });
  }
  for (const other of taken) {
    const theirs = parseRange(other.cidr);
    if (!theirs || !overlap(range, theirs)) continue;
    const why = `${cidr} overlaps ${other.cidr} of the network "${other.name}"`;
    throw inputError({
      code: 'network-overlap',
      what: 'make the network',
      on,
      why,
      hint: 'choose an unused range, or omit it',
    });
  }
}
