import { describe, expect, it } from 'vitest';
import { useTestServer } from './test-server.js';

const gateway = { uuid: 'g', name: 'nat', zone: 'fi-hel2', features: ['nat'], routers: [], configured_status: 'started' };
const name = 'public-ip-1';
const address = '192.0.2.1';

/** Successive answers of a starting gateway; the last one repeats. */
const LOOKS = [
  { ...gateway, operational_state: 'pending', addresses: [] },
  { ...gateway, operational_state: 'pending', addresses: [{ name }] },
  { ...gateway, operational_state: 'running' },
  { ...gateway, operational_state: 'running', addresses: [] },
  { ...gateway, operational_state: 'running', addresses: [{ name, address }, { name: 'public-ip-2' }] },
  { ...gateway, operational_state: 'setup-gw', addresses: [{ name, address }] },
  { ...gateway, operational_state: 'running', addresses: [{ name, address }] },
];

const looking = <T>(looks: object[], use: Parameters<typeof useTestServer<T>>[1]) => {
  let next = 0;
  const answer = () => JSON.stringify(looks[Math.min(next++, looks.length - 1)]);
  return useTestServer((_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(answer()), use);
};

describe('a gateway', () => {
  it('is read while it has no addresses, or names of them alone', async () => {
    const seen = await looking(LOOKS, async (client) => [
      (await client.gateways.read('g')).addresses,
      (await client.gateways.read('g')).addresses,
      (await client.gateways.read('g')).addresses,
    ]);
    expect(seen).toEqual([[], [{ name }], undefined]);
  });

  it('is waited for until it runs and all its addresses are there', async () => {
    let looks = 0;
    const options = { everyMs: 1, onLook: () => void looks++ };
    const { addresses } = await looking(LOOKS, (client) => client.gateways.waitRunning('g', options));
    expect([looks, addresses]).toEqual([LOOKS.length - 1, [{ name, address }]]);
  });

  it('that never has an address ends the wait in time', async () => {
    const wait = looking(LOOKS.slice(0, 4), (client) => client.gateways.waitRunning('g', { everyMs: 1, timeoutMs: 20 }));
    await expect(wait).rejects.toThrow('wait for gateway g to run with its addresses');
  });
});
