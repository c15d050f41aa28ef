import { expect, test } from 'vitest';
import type { HostContext, Peer } from './taskserv.js';
import { resolveWrittenAddress, urlAsWritten } from './written-address.js';

const peersOf = (endpoint: Partial<Peer['endpoints'][number]> = {}): Peer[] => [
  { server: 'web', role: 'web', address: 'web', taskserv: 'other', endpoints: [{ name: 'dns', port: 8080, protocol: 'udp' }] },
  { server: 'web', role: 'web', address: 'web', taskserv: 'app', endpoints: [{ name: 'http', port: 8080, ...endpoint }] },
  { server: 'db', role: 'db', address: 'db', taskserv: 'postgres', endpoints: [{ name: 'postgres', port: 5432 }] },
];
const hostOf = (privateAddress?: string): HostContext =>
  ({ name: 'web', ...(privateAddress !== undefined && { privateAddress }) }) as HostContext;

test.each<[string, number, string | undefined, Partial<Peer['endpoints'][number]>, string]>([
  // The own server, where the port is that of an endpoint.
  ['127.0.0.1', 8080, '10.0.0.5', {}, '10.0.0.5'],
  ['localhost', 8080, '10.0.0.5', {}, '10.0.0.5'],
  ['::1', 8080, 'fd00::5', {}, 'fd00::5'],
  ['[::1]', 8080, 'fd00::5', {}, 'fd00::5'],
  ['web', 8080, '10.0.0.5', {}, '10.0.0.5'],
  ['web', 8080, undefined, {}, '127.0.0.1'],
  ['web', 8080, '10.0.0.5', { local: true }, '127.0.0.1'],
  ['localhost', 8080, '10.0.0.5', { public: ['0.0.0.0/0'] }, '127.0.0.1'],
  // No service of the definition listens there.
  ['127.0.0.1', 3000, '10.0.0.5', {}, '127.0.0.1'],
  ['localhost', 5432, '10.0.0.5', {}, 'localhost'],
  ['web', 3000, '10.0.0.5', {}, 'web'],
  // Others.
  ['db', 5432, '10.0.0.5', {}, 'db'],
  ['db', 8080, '10.0.0.5', {}, 'db'],
  ['127.0.0.2', 8080, '10.0.0.5', {}, '127.0.0.2'],
  ['web.example.org', 8080, '10.0.0.5', {}, 'web.example.org'],
])('%s:%i, private address %s, %j: %s', (address, port, privateAddress, endpoint, expected) =>
  expect(resolveWrittenAddress(address, port, { host: hostOf(privateAddress), peers: peersOf(endpoint) })).toBe(expected),
);

test.each([
  ['http://127.0.0.1:8080', 'http://10.0.0.5:8080'],
  ['http://web:8080/path?a=web', 'http://10.0.0.5:8080/path?a=web'],
  ['https://[::1]:8080/', 'https://10.0.0.5:8080/'],
  ['http://localhost', 'http://localhost'],
  ['http://DB:5432', 'http://DB:5432'],
  ['http://db:8080', 'http://db:8080'],
  ['no URL', 'no URL'],
])('%s is reached at %s', (url, expected) =>
  expect(urlAsWritten(url, { host: hostOf('10.0.0.5'), peers: peersOf() })).toBe(expected),
);

test.each([
  [80, 'http://web', 'http://10.0.0.5'],
  [443, 'https://web/', 'https://10.0.0.5/'],
])('without a port it is %i', (port, url, expected) =>
  expect(urlAsWritten(url, { host: hostOf('10.0.0.5'), peers: peersOf({ port }) })).toBe(expected),
);

test('an address of IPv6 is put into brackets', () =>
  expect(urlAsWritten('http://web:8080/x', { host: hostOf('fd00::5'), peers: peersOf() })).toBe('http://[fd00::5]:8080/x'));
