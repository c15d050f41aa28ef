import { expect, test } from 'vitest';
import { readCallerAddress } from './caller-address.js';

const from = (remoteAddress: string | undefined, forwarded?: string, trusted: string[] = []) =>
  readCallerAddress(
    { socket: { remoteAddress } },
    new Headers(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }),
    new Set(trusted),
  );

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:DB8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s counts as %s', (address, counted) => expect(from(address)).toBe(counted));

test('addresses of one network of IPv6 count together, however they are written', () => {
  expect(from('2001:db8:0:0:1::5')).toBe(from('2001:0db8::9'));
});

test('what a stranger says of its address is not believed', () => {
  expect(from('192.0.2.7', '198.51.100.1')).toBe('192.0.2.7');
  expect(from(undefined, '198.51.100.1')).toBeUndefined();
});

test('of what a proxy of ours says, the last address that is no proxy counts', () => {
  const ours = ['10.0.0.5', '10.0.0.6'];
  expect(from('10.0.0.5', '203.0.113.9, 198.51.100.1, 10.0.0.6', ours)).toBe('198.51.100.1');
  expect(from('10.0.0.5', '198.51.100.1, no address', ours)).toBe('10.0.0.5');
  expect(from('10.0.0.5', undefined, ours)).toBe('10.0.0.5');
});
