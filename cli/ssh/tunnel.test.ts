import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import type { Definition } from '../../core/definition/definition.js';
import { tunnelPort } from '../../core/machine/tunnel.js';
import { checkFree } from './tunnel.js';
import { findNamedPort, parsePort } from './tunnel-target.js';

const taskserv = (name: string, ...endpoints: object[]) => ({ name, endpoints });
const definition = {
  servers: [
    {
      name: 'hub',
      taskservs: [
        taskserv('haproxy', { name: 'metrics', port: 8405 }, { name: 'http', port: 80, path: '/' }, { name: 'stats', port: 8404 }),
        taskserv('postgres', { name: 'postgres', port: 5432 }),
        taskserv('prometheus', { name: 'metrics', port: 9090, path: '/metrics' }),
        taskserv('dns', { name: 'dns', port: 53, protocol: 'udp' }),
      ],
    },
  ],
} as unknown as Definition;
const named = (asked: string, server = 'hub') => findNamedPort({ definition }, server, asked);

test('a taskserv stands for its port, one of its endpoints for that of its own', () => {
  expect(named('postgres')).toEqual({ port: 5432, what: 'postgres' });
  expect(named('haproxy')).toEqual({ port: 80, what: 'http of haproxy', path: '/' });
  expect(named('haproxy/stats')).toEqual({ port: 8404, what: 'stats of haproxy' });
  expect(named('prometheus')).toMatchObject({ port: 9090, path: '/' });
});

test('a number is that port, whoever has it', () => {
  expect(named('5432')).toEqual({ port: 5432, what: 'postgres' });
  expect(named('1234')).toEqual({ port: 1234 });
  expect(findNamedPort({}, 'hub', '1234')).toEqual({ port: 1234 });
});

test.each(['0', '65536', '-1', '5432x', 'redis', 'haproxy/x', 'dns', '../postgres'])('%s is told with what there is', (asked) => {
  expect(() => named(asked)).toThrow(/neither a port from 1 to 65535 nor a taskserv/);
});

test('a number of a port has five digits at most, and none before it', () => {
  expect(['1', '65535', '080', '1e3', ''].map(parsePort)).toEqual([1, 65_535, undefined, undefined, undefined]);
});

test('the local port is the same where everybody may have it', () => {
  expect([80, 443, 5432].map(tunnelPort)).toEqual([8080, 8443, 5432]);
});

test('a local port that is taken is told before anything is done, with another', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  try {
    await expect(checkFree(port, 'provisioning server tunnel hub 5432')).rejects.toMatchObject({
      details: { code: 'port-taken', blame: 'user', hint: expect.stringMatching(/server tunnel hub 5432 \d+$/) },
    });
  } finally {
    other.close();
    await once(other, 'close');
  }
  await checkFree(port, '');
});
