import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Catalog } from '../../../sdk/index.js';
import { useTestServer } from '../client/test-server.js';
import { openCloud } from '../cloud/cloud.js';
import { createCatalog } from './catalog.js';

const error = (error_code: string) => ({ error: { error_code, error_message: 'No.' } });

const server = (core_number: string, memory_amount: string) => ({
  uuid: 'u',
  title: 't',
  hostname: 'h',
  zone: 'de-fra1',
  state: 'started',
  core_number,
  memory_amount,
});
const storage = (size: number, tier: string) => ({
  uuid: 'u',
  title: 't',
  access: 'private',
  type: 'normal',
  state: 'online',
  size,
  tier,
});
const template = (uuid: string, title: string) => ({ ...storage(3, 'maxiops'), type: 'template', uuid, title });

/** Answers by path; an error is answered with status 403. */
const ANSWERS: Record<string, object> = {
  '/account': {
    account: { username: 'shop', credits: 1250, resource_limits: { cores: 10, memory: 4096, networks: null, new: 1 } },
  },
  '/account/details/shop': { account: { username: 'shop', currency: 'USD' } },
  '/zone': {
    zones: {
      zone: ['de-fra1', 'fi-hel1', 'uk-tst1'].map((id) => ({
        id,
        description: `${id} #1`,
        public: id === 'uk-tst1' ? 'no' : 'yes',
      })),
    },
  },
  '/plan': {
    plans: {
      plan: ['1xCPU-2GB', 'OLD-1xCPU'].map((name) => ({ name, core_number: 1, memory_amount: 2048, storage_size: 50 })),
    },
  },
  '/price': {
    prices: {
      zone: [
        {
          name: 'de-fra1',
          'server_plan_1xCPU-2GB': { amount: 1, price: 1.488 },
          storage_maxiops: { amount: 1, price: 0.031 },
        },
        { name: 'uk-tst1', 'server_plan_1xCPU-2GB': { amount: 1, price: 0 }, storage_maxiops: { amount: 1, price: 0 } },
      ],
    },
  },
  '/storage/template': {
    storages: {
      storage: [template('1', 'Debian GNU/Linux 12 (A)'), template('2', 'Debian GNU/Linux 12 (B)'), template('3', 'CentOS')],
    },
  },
  '/server': { servers: { server: [server('2', '2048'), server('1', '1024')] } },
  '/storage/private': { storages: { storage: [storage(25, 'maxiops'), storage(10, 'hdd')] } },
  '/network': { networks: { network: [] } },
  '/ip_address': { ip_addresses: { ip_address: [] } },
  '/server-group': { server_groups: { server_group: [] } },
};

function withCatalog<T>(use: (catalog: Catalog) => Promise<T>, changed: Record<string, object> = {}): Promise<T> {
  return useTestServer(
    (request, response) => {
      const body = { ...ANSWERS, ...changed }[(request.url ?? '').replace('/1.3', '')] ?? error('NOT_FOUND');
      response.writeHead('error' in body ? 403 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    },
    (client) => use(createCatalog(openCloud(client, 'de-fra1', 10))),
  );
}

describe('what UpCloud sells', () => {
  it('has a price in the account’s currency, is of unknown price, or is not sold there', async () => {
    const plans = await withCatalog((catalog) => catalog.plans());
    expect(plans).toEqual([
      {
        name: '1xCPU-2GB',
        cores: 1,
        memoryMiB: 2048,
        diskGiB: 50,
        zones: { 'de-fra1': { currency: 'USD', hourly: 0.01488, monthly: 10 }, 'uk-tst1': null, 'fi-hel1': null },
      },
      { name: 'OLD-1xCPU', cores: 1, memoryMiB: 2048, diskGiB: 50, zones: { 'fi-hel1': null } },
    ]);
  });

  it('has no known price where the currency is not to be had', async () => {
    const refused = { '/account/details/shop': error('ACCOUNT_FORBIDDEN') };
    const [plan] = await withCatalog((catalog) => catalog.plans(), refused);
    expect(plan?.zones).toEqual({ 'de-fra1': null, 'uk-tst1': null, 'fi-hel1': null });
    expect(await withCatalog(async (catalog) => catalog.volumePrices?.(), refused)).toEqual({});
  });

  it('says what a GiB of volume costs, where it costs something', async () => {
    const prices = await withCatalog(async (catalog) => catalog.volumePrices?.());
    expect(prices).toEqual({ 'de-fra1': { currency: 'USD', hourly: expect.closeTo(0.00031, 9) } });
  });

  it('names each image once by its abstract name', async () => {
    const images = await withCatalog((catalog) => catalog.images());
    expect(images.map(({ name, id }) => [name, id])).toEqual([
      ['debian-12', '1'],
      ['Debian GNU/Linux 12 (B)', '2'],
      ['CentOS', '3'],
    ]);
  });

  it('names zones with their regions', async () => {
    const zones = await withCatalog((catalog) => catalog.zones());
    expect(zones[0]).toEqual({ name: 'de-fra1', title: 'de-fra1 #1', region: 'eu-central' });
    expect(zones.map(({ name }) => name)).not.toContain('uk-tst1');
    expect(zones[1]).toEqual({ name: 'fi-hel1', title: 'fi-hel1 #1', region: 'eu-north' });
  });
});

describe('the account', () => {
  it('is reported with what is used of its limits, and what cannot be known', async () => {
    const report = await withCatalog((catalog) => catalog.check(), { '/server-group': error('GROUP_FORBIDDEN') });
    expect(report.identity).toBe('shop');
    expect(report.limits).toEqual([
      { what: 'cores', limit: 10, used: 3 },
      { what: 'memory (MiB)', limit: 4096, used: 3072 },
      { what: 'credit left (USD)', limit: 12.5, used: undefined },
    ]);
    expect(report.abilities).toContainEqual({ what: 'list servers', allowed: true });
    expect(report.abilities).toContainEqual({ what: 'list placements', allowed: false, why: 'No. (GROUP_FORBIDDEN)' });
    expect(report.abilities.find(({ what }) => what.startsWith('create'))?.allowed).toBeUndefined();
  });

  it('is not reported where the credentials are refused', async () => {
    await expect(withCatalog((catalog) => catalog.check(), { '/account': error('AUTHENTICATION_FAILED') })).rejects.toThrow(
      'AUTHENTICATION_FAILED',
    );
  });
});

const recordings = resolve(process.env.PROVISIONING_CLOUD_DATA ?? '../shared/clouds', 'upcloud-cassettes');

describe.skipIf(!existsSync(recordings))('with the recorded price list', () => {
  const recorded = (name: string) =>
    JSON.parse(readFileSync(resolve(recordings, `${name}.json`), 'utf8')).interactions[0].response.body;

  it('each recorded plan has a price in each public zone', async () => {
    const answers = { '/plan': recorded('getplans'), '/price': recorded('getpricezones'), '/zone': recorded('getzones') };
    const plans = await withCatalog((catalog) => catalog.plans(), answers);
    expect(plans).toHaveLength(10);
    for (const { name, zones } of plans) {
      const { 'uk-tst1': test, ...others } = zones;
      expect(test).toBeNull();
      expect(Object.keys(others), name).toHaveLength(9);
      for (const price of Object.values(others)) expect(price?.monthly).toBeGreaterThan(4.9);
    }
    expect(plans.find(({ name }) => name === '1xCPU-1GB')?.zones['de-fra1']).toEqual({
      currency: 'USD',
      hourly: 0.00744,
      monthly: 5,
    });
  });
});
