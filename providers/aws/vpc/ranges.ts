import { createHash } from 'node:crypto';
import { inputError } from '../../../sdk/index.js';

/** Returns a range for each network, so that two networks can be peered later. */
export function rangeFor(uuid: string, network: string): string {
  const byte = createHash('sha256').update(`${uuid}/${network}`).digest()[0] ?? 0;
  return `10.${16 + (byte % 224)}.0.0/16`;
}

/**
 * Divides a network among zones: half of it for the first, an eighth for each of four more. From /26 on, a network is
 * in a single zone. Throws the input error `network-range` for a range that a VPC cannot have.
 */
export function subnetRanges(range: string): string[] {
  const [, address = '', bits = ''] = /^(\d+\.\d+\.\d+\.\d+)\/(\d+)$/.exec(range) ?? [];
  const octets = address.split('.').map(Number);
  const prefix = Number(bits);
  const start = octets.reduce((sum, octet) => sum * 256 + octet, 0);
  const size = 2 ** (32 - prefix);
  if (octets.length !== 4 || octets.some((octet) => octet > 255) || prefix < 16 || prefix > 28 || start % size !== 0) {
    throw inputError({
      code: 'network-range',
      what: 'make the network',
      on: range,
      why: 'AWS accepts a range from /16 to /28 that starts at a multiple of its size',
      hint: 'write a range such as 10.20.0.0/16',
    });
  }
  if (prefix > 25) return [range];
  const eighth = size / 8;
  return [`${dotted(start)}/${prefix + 1}`, ...[4, 5, 6, 7].map((part) => `${dotted(start + part * eighth)}/${prefix + 3}`)];
}

const dotted = (value: number): string => [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
