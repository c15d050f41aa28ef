import { expect, test } from 'vitest';
import type { FoundServer, WantedServer } from '../../../sdk/index.js';
import { diffServer } from './describe.js';

const WANTED = {
  name: 'web',
  role: 'worker',
  plan: { name: 'small' },
  image: 'debian-13',
  labels: { team: 'shop' },
  volumes: [{ name: 'data', mount: '/data', size: 10 }],
  network: 'shop',
} as unknown as WantedServer;
const FOUND: FoundServer = {
  name: 'web',
  id: 'c1',
  status: 'running',
  plan: 'small',
  image: 'debian-13',
  labels: { team: 'shop' },
  volumes: ['data'],
  mounts: { data: '/data' },
  network: 'shop',
  connection: { kind: 'ssh', address: '127.0.0.1', port: 2022, user: 'root', privateAddress: 'web' },
};

test('a container that is as wanted needs nothing', () => {
  expect(diffServer(WANTED, FOUND)).toEqual({ action: 'noop' });
  expect(diffServer(WANTED, { ...FOUND, status: 'starting' })).toEqual({ action: 'noop' });
  expect(diffServer({ ...WANTED, host: { address: '192.0.2.1' } } as WantedServer, { ...FOUND, image: 'other' })).toEqual({
    action: 'noop',
  });
});

test.each<[string, Partial<FoundServer>]>([
  ['plan "large" becomes "small"', { plan: 'large' }],
  ['labels change', { labels: {} }],
  ['it joins the network "shop" again', { network: undefined }],
  ['it is started', { status: 'stopped' }],
])('it is changed in place: %s', (change, found) => {
  expect(diffServer(WANTED, { ...FOUND, ...found })).toEqual({ action: 'update', changes: [change] });
});

test.each<[string, Partial<FoundServer>]>([
  ['image "debian-12" becomes "debian-13"', { image: 'debian-12' }],
  ['network "other" becomes "shop"', { network: 'other' }],
  ['volumes none become "data" at /data', { mounts: {} }],
  ['volumes "data" at /srv become "data" at /data', { mounts: { data: '/srv' } }],
])('it is replaced, and the other changes come with it: %s', (change, found) => {
  expect(diffServer(WANTED, { ...FOUND, ...found, status: 'stopped' })).toEqual({
    action: 'replace',
    changes: [change, 'it is started'],
  });
});
