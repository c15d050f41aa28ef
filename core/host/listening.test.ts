import { describe, expect, test } from 'vitest';
import type { Endpoint, HostContext } from '../taskserv/taskserv.js';
import { FoundFile } from './facts.js';
import { addressesOf, askAt, ensureWait, listeningOn, literalAddressesOf, privateAddressIn, waitFile } from './listening.js';
import type { Step } from './step.js';

const HOST: HostContext = { name: 'a', role: 'a', os: 'debian', arch: 'amd64', cores: 1, memoryMiB: 1024 };
const on = (endpoint: Partial<Endpoint>, host: Partial<HostContext> = {}) =>
  listeningOn('exporter', 'metrics', {
    host: { ...HOST, ...host },
    peers: [
      { server: 'b', role: 'b', address: 'b', taskserv: 'exporter', endpoints: [{ name: 'metrics', port: 1, public: ['::/0'] }] },
      { server: 'a', role: 'a', address: 'a', taskserv: 'exporter', endpoints: [{ name: 'metrics', port: 1, ...endpoint }] },
    ],
  });

describe('an endpoint', () => {
  test('listens on the private address, on all where it is public, and else on loopback', () => {
    expect(on({}, { privateAddress: '10.0.0.5' })).toEqual({ address: '10.0.0.5' });
    expect(on({ public: ['192.0.2.0/24'] }, { privateAddress: '10.0.0.5' })).toBe('all');
    expect(on({})).toBe('loopback');
  });

  test('of a machine whose private address nobody knows listens on all where others use it', () => {
    expect(on({ usedFrom: [] })).toBe('all');
    expect(on({ usedFrom: [] }, { privateAddress: '10.0.0.5' })).toEqual({ address: '10.0.0.5' });
  });

  test.each([
    [{ port: 1, usedFrom: [] }, 'all'],
    [{ port: 1, public: ['::/0'] }, 'all'],
    [{ port: 2, usedFrom: [] }, 'loopback'],
    [{ port: 1, protocol: 'udp' as const, usedFrom: [] }, 'all'],
    [{ port: 1, local: true, usedFrom: [] }, 'loopback'],
  ])('listens where others use one on its port: %j', (other, where) => {
    const endpoints = [
      { name: 'metrics', port: 1 },
      { name: 'other', ...other },
    ];
    const peers = [{ server: 'a', role: 'a', address: 'a', taskserv: 'exporter', endpoints }];
    expect(listeningOn('exporter', 'metrics', { host: HOST, peers })).toBe(where);
  });

  test('is asked on its host where it listens', () => {
    expect([on({}), on({}, { privateAddress: 'fd00::5' })].map(askAt)).toEqual(['127.0.0.1', '[fd00::5]']);
    expect([on({}), on({}, { privateAddress: 'fd00::5' }), on({ public: ['::/0'] })].map(addressesOf)).toEqual([
      ['127.0.0.1'],
      ['127.0.0.1', 'fd00::5'],
      undefined,
    ]);
  });

  test('is an address where names are not taken, or all of them', () => {
    expect(literalAddressesOf({ address: '10.0.0.5' })).toEqual(['127.0.0.1', '10.0.0.5']);
    for (const listening of ['all', { address: 'hub' }] as const) expect(literalAddressesOf(listening)).toBeUndefined();
  });
});

test('a private address is what the provider says, and nothing but an address', () => {
  expect(privateAddressIn({ privateAddress: '10.0.0.5' })).toBe('10.0.0.5');
  expect(privateAddressIn({})).toBeUndefined();
  expect(privateAddressIn({ privateAddress: '10.0.0.5\nrequirepass x' })).toBeUndefined();
});

describe('a unit', () => {
  const file = (content?: string) => new FoundFile(waitFile('redis'), { exists: content !== undefined, content });
  const written = ([step]: Step[]) => (step && 'file' in step && typeof step.file.content === 'string' ? step.file.content : '');

  test('waits for an address, and for no name', () => {
    const content = written(ensureWait(file(), 'redis', { address: '10.0.0.5' }));
    expect(content).toContain('10\\\\.0\\\\.0\\\\.5$$');
    expect(ensureWait(file(content), 'redis', { address: '10.0.0.5' })).toEqual([]);
    for (const listening of ['all', 'loopback', { address: 'hub' }] as const) {
      expect(ensureWait(file(), 'redis', listening)).toEqual([]);
      expect(ensureWait(file(content), 'redis', listening)).toHaveLength(1);
    }
  });
});
