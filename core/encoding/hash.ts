/** JSON with sorted keys: equal values give equal text. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`;
}

/** Whether two JSON values say the same. */
export const same = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b);

/**
 * A short fingerprint of a JSON value (FNV-1a, 64 bit, hex). For names and
 * change detection, not for security; pure, so that workflows may use it.
 */
export function fingerprint(value: unknown): string {
  let hash = 0xcbf29ce484222325n;
  for (const char of new TextEncoder().encode(canonical(value))) {
    // A mask, since BigInt.asUintN of QuickJS, where modules of a workspace run, answers a negative number.
    hash = ((hash ^ BigInt(char)) * 0x100000001b3n) & 0xffffffffffffffffn;
  }
  return hash.toString(16).padStart(16, '0');
}

/** A 53-bit hash of a text as a number, for telling versions of large values apart; many times faster than `fingerprint`. */
export function quickNumber(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & low) + (high >>> 0);
}

/** The same as a short text. */
export const quickHash = (text: string): string => quickNumber(text).toString(36);

/** Identifies a configuration of a service in journals and reports. */
export const configHash = (config: unknown): string => quickHash(canonical(config));
