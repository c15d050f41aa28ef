import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { certificatesIn, makeAuthority, makeCertificate } from '../../secrets/generate/certificates.js';
import { chooseHost, findServedAddresses, readWildcard } from './served-addresses.js';

const address = (text: string, family: 'IPv4' | 'IPv6' = 'IPv4', internal = false) => ({ address: text, family, internal });
const INTERFACES = {
  lo: [address('127.0.0.1', 'IPv4', true), address('::1', 'IPv6', true)],
  docker0: [address('172.17.0.1')],
  eth0: [address('2001:db8::7', 'IPv6'), address('fe80::1', 'IPv6'), address('192.0.2.7')],
};

/** PEM of a certificate for names and addresses. */
const [certificate = ''] = certificatesIn(makeCertificate(makeAuthority('test', 2), ['api.example.org', '192.0.2.7'], 2));

test.each([
  ['0.0.0.0', 4],
  ['::', 6],
  ['0:0:0:0:0:0:0:0', 6],
  ['::0', 6],
  ['::ffff:0.0.0.0', 4],
  ['127.0.0.1', undefined],
  ['192.0.2.7', undefined],
  ['::1', undefined],
  ['localhost', undefined],
])('%s is all addresses of family %s', (host, family) => {
  expect(readWildcard(host)).toBe(family);
});

test.each([
  ['0.0.0.0', ['192.0.2.7', '172.17.0.1', 'localhost']],
  ['::', ['192.0.2.7', '[2001:db8::7]', '172.17.0.1', 'localhost']],
  ['2001:DB8:0::7', ['[2001:db8::7]']],
  ['192.0.2.7', ['192.0.2.7']],
])('a server on %s is found at %s', (host, hosts) => {
  expect(findServedAddresses({ host }, INTERFACES)).toEqual(hosts);
});

test.each<[string, string, string[], string | undefined, string]>([
  ['a loopback address stays', '127.0.0.1', ['api.example.org'], certificate, '127.0.0.1'],
  ['a loopback address of IPv6 gets brackets', '::1', [], undefined, '[::1]'],
  [
    'all addresses have the name of the certificate',
    '0.0.0.0',
    ['other.example.org', 'api.example.org'],
    certificate,
    'api.example.org',
  ],
  ['without a name they have the address of the certificate', '::', [], certificate, '192.0.2.7'],
  ['a name that no certificate is for comes before addresses', '0.0.0.0', ['api.internal'], undefined, 'api.internal'],
  ['one address stays if the certificate is for it', '192.0.2.7', ['api.example.org'], certificate, '192.0.2.7'],
  ['one address is replaced by the name of the certificate', '2001:db8::7', ['api.example.org'], certificate, 'api.example.org'],
  ['one address without a certificate for it stays', '2001:db8::7', [], certificate, '[2001:db8::7]'],
])('%s', (_, host, hostNames, pem, expected) => {
  const addresses = findServedAddresses({ host }, INTERFACES);
  expect(chooseHost({ host }, { hostNames, addresses, ...(pem !== undefined && { certificate: pem }) })).toBe(expected);
});

test('a machine without a network has an address of its own', () => {
  const addresses = findServedAddresses({ host: '0.0.0.0' }, {});
  expect(chooseHost({ host: '0.0.0.0' }, { hostNames: [], addresses })).toBe('localhost');
  expect(new X509Certificate(certificate).checkHost('localhost')).toBeUndefined();
});
