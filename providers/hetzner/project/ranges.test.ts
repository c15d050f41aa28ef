import { describe, expect, it } from 'vitest';
import { freeRange, freeSubnet, overlap, parseRange } from './ranges.js';

describe('ranges of networks', () => {
  it('are read, or told to be none', () => {
    expect(parseRange('10.0.0.0/24')).toEqual({ first: 167772160, last: 167772415 });
    expect(parseRange('10.0.0.77/24')).toEqual(parseRange('10.0.0.0/24'));
    for (const text of ['10.0.0.0', '10.0.0.0/33', '10.0.0.300/24', 'fd00::/8', '']) expect(parseRange(text)).toBeUndefined();
  });

  it('overlap or do not', () => {
    expect(overlap('10.0.0.0/16', '10.0.255.0/24')).toBe(true);
    expect(overlap('10.0.0.0/16', '10.1.0.0/16')).toBe(false);
    expect(overlap('0.0.0.0/0', '192.168.1.0/24')).toBe(true);
  });

  it('are chosen among what is free', () => {
    expect(freeRange([])).toBe('10.0.0.0/16');
    expect(freeRange(['10.0.3.0/24', '10.1.0.0/16', '192.168.0.0/16'])).toBe('10.2.0.0/16');
    expect(() => freeRange(['10.0.0.0/8'])).toThrow(/use all addresses/);
  });

  it('are parted for the network zones', () => {
    expect(freeSubnet('10.2.0.0/16', [])).toBe('10.2.0.0/24');
    expect(freeSubnet('10.2.0.0/16', ['10.2.0.0/24'])).toBe('10.2.1.0/24');
    expect(freeSubnet('10.2.0.0/24', [])).toBe('10.2.0.0/24');
    expect(freeSubnet('10.2.0.0/24', ['10.2.0.0/24'])).toBeUndefined();
    expect(freeSubnet('10.2.0.0/25', [])).toBe('10.2.0.0/25');
  });
});
