import { expect, test } from 'vitest';
import { fc } from '../../../test/support/fast-check.js';
import { formatAddress, formatCidr, parseAddress, parseRange } from './ranges.js';

/** Groups that are zero, end in zero or begin with one: a shortened address may cut in the wrong place. */
const group = fc.oneof(
  fc.constant(0n),
  fc.constantFrom(0x10n, 0xdb0n, 0x100n, 0x1n, 0xfff0n),
  fc.bigInt({ min: 0n, max: 0xffffn }),
);
const address = fc
  .array(group, { minLength: 8, maxLength: 8 })
  .map((groups) => groups.reduce((sum, one) => sum * 65_536n + one, 0n));

/** RFC 5952 by the URL parser of Node, which shortens the first longest run of zeros. */
const byUrl = (text: string): string => new URL(`http://[${text}]/`).hostname.slice(1, -1);

test('an IPv6 address is written as RFC 5952 does, and read back as the same number', () => {
  fc.assert(
    fc.property(address, (value) => {
      const text = formatAddress(value, 'IPv6');
      expect(parseAddress(text)).toBe(value);
      expect(text).toBe(byUrl(text));
    }),
    { numRuns: 500 },
  );
});

test.each(['2001:db8:10::/48', '2001:db0::1:2:3:4/128', '::/0', '::1/128', 'fe80::/10', '2001:db8:0:10::/64'])(
  '%s stays itself',
  (cidr) => {
    const range = parseRange(cidr);
    expect(range && formatCidr(range)).toBe(cidr);
  },
);
