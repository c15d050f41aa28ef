import { isIPv4, isIPv6 } from 'node:net';
import { describe, expect, test } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import { isHost, isHostName, isIpv4, isIpv6, parseHostPort, parseJumpHost, USER_NAME } from './addresses.js';

describe('addresses are those that Node takes for addresses', () => {
  const pieces = fc.constantFrom(
    '0',
    '1',
    '00',
    '255',
    '256',
    '300',
    'ff',
    'FFFF',
    '10000',
    'g',
    '::',
    ':',
    '.',
    '/24',
    '%eth0',
    '[',
    ']',
    ' ',
    '-',
  );
  const built = fc.array(pieces, { maxLength: 16 }).map((parts) => parts.join(''));
  test.each([
    ['IPv4', isIpv4, isIPv4, fc.oneof(fc.ipV4(), fc.ipV4Extended(), built)],
    ['IPv6', isIpv6, (text: string) => isIPv6(text) && !text.includes('%'), fc.oneof(fc.ipV6(), built)],
  ] as const)('%s', (_, ours, nodes, texts) => {
    fc.assert(
      fc.property(texts, (text) => ours(text) === nodes(text)),
      { numRuns: 2_000 },
    );
  });
});

test.each([
  ...['db', 'db-1.example.org', 'XN--BCHER-KVA.example', '192.0.2.7', '2001:db8::7', '::1', '1.example', `${'a'.repeat(63)}.b`],
])('%s says where a host is', (text) => expect(isHost(text)).toBe(true));

test.each([
  ...['', '300.1.2.3', '10.0.0.1/24', 'a host', '-oProxyCommand=x', 'db-', 'a..b', '.a', 'a_b', '[::1]', 'fe80::1%eth0', 'a\n'],
  ...['root@db', 'db:22', `${'a'.repeat(64)}.b`, `${'a.'.repeat(127)}ab`, 'd\u200bb', '10.1', '0x7f.1'],
])('%j does not', (text) => expect(isHost(text)).toBe(false));

test.each(['root', '_apt', 'www-data', 'John.Doe', 'a'.repeat(32)])('%s is a user name', (text) =>
  expect(USER_NAME.test(text)).toBe(true),
);
test.each(['', '-oProxyCommand=touch /tmp/x', '.a', 'a b', 'a;b', '$(id)', 'a\n', 'a@b', 'a'.repeat(33), 'ä'])(
  '%j is no user name',
  (text) => expect(USER_NAME.test(text)).toBe(false),
);

test('hosts with a port, and jump hosts, are taken apart', () => {
  expect(parseHostPort('db:5432')).toEqual({ host: 'db', port: 5432 });
  expect(parseHostPort('[::1]:22')).toEqual({ host: '::1', port: 22 });
  for (const wrong of ['db', 'db:0', 'db:65536', '::1:22', '[db]:22', ':22']) expect(parseHostPort(wrong)).toBeUndefined();
  expect(parseJumpHost('bastion')).toEqual({ host: 'bastion' });
  expect(parseJumpHost('me@[2001:db8::1]:2222')).toEqual({ user: 'me', host: '2001:db8::1', port: 2222 });
  expect(parseJumpHost('me@10.0.0.1')).toEqual({ user: 'me', host: '10.0.0.1' });
  for (const wrong of ['', '@a', '-o@a', 'me@-a', 'a@b@c', 'me@300.1.2.3', 'me@a,b', 'me@a:b', 'a b'])
    expect(parseJumpHost(wrong)).toBeUndefined();
  expect(isHostName('localhost')).toBe(true);
});
