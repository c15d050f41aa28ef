import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type UpCloudClient, UpCloudError, upcloudClient } from '../../../providers/upcloud/client/index.js';
import { scripts } from '../../../providers/upcloud/client/recordings/scripts.js';
import { startUpCloud, type UpCloudStandIn } from './stand-in.js';

const TEMPLATE = '01000000-0000-4000-8000-000020070100';
const soon = { everyMs: 5, timeoutMs: 10_000 };

/** Recordings that the stand-in supports. Requests and expectations are the recordings', without their waits. */
const PLAYED = [
  'createtag',
  'gettags',
  'createmodifydeleterouter',
  'gatewaynat',
  'createmodifydeletestorage',
  'storagelabels',
  'getplans',
  'getpricezones',
];

describe('the stand-in of UpCloud is content with what was recorded, and answers so', () => {
  let standIn: UpCloudStandIn;
  beforeAll(async () => {
    standIn = await startUpCloud({ delays: { gateway: 0 } });
  });
  afterAll(() => standIn.close());

  test.each(PLAYED)('%s', async (name) => {
    expect(scripts[name]).toBeDefined();
    await scripts[name]?.(upcloudClient({ credentials: { token: standIn.token }, endpoint: standIn.url }));
  });
});

describe('the client with the stand-in of UpCloud', () => {
  let standIn: UpCloudStandIn;
  let client: UpCloudClient;
  beforeAll(async () => {
    // Long enough to observe pending work, even on a busy machine.
    standIn = await startUpCloud({ delays: { relocation: 500, gateway: 500 } });
    client = upcloudClient({ credentials: { token: standIn.token }, endpoint: standIn.url });
  });
  // Fails if a request was sent that UpCloud does not know.
  afterAll(() => standIn.close());

  const refused = (call: Promise<unknown>) =>
    call.then(
      () => 'done',
      (error: unknown) => (error instanceof UpCloudError ? [error.status, error.code] : error),
    );
  const disk = { action: 'clone' as const, storage: TEMPLATE, title: 'disk', size: 10 };
  const made = async (title: string, more: Partial<Parameters<UpCloudClient['servers']['create']>[0]> = {}) => {
    const networking = { interfaces: [{ type: 'public' as const, ip_addresses: [{ family: 'IPv4' as const }] }] };
    const common = {
      title,
      hostname: title,
      zone: 'fi-hel2',
      plan: '1xCPU-1GB',
      metadata: true,
      storage_devices: [disk],
      networking,
    };
    const { uuid } = await client.servers.create({ ...common, ...more });
    return client.servers.waitFor(uuid, 'started', soon);
  };
  const stopped = async (uuid: string) => {
    await client.servers.stop(uuid, { type: 'hard' });
    return client.servers.waitFor(uuid, 'stopped', soon);
  };

  test('tags a server, names the same in any case, and forgets them with it', async () => {
    const { uuid } = await made('tagged');
    await client.tags.create({ name: 'web', servers: [] });
    await client.tags.create({ name: 'DEV', description: 'Development', servers: [uuid] });
    expect((await client.servers.tag(uuid, ['web', 'dev'])).tags).toEqual(['DEV', 'web']);
    expect((await client.servers.list()).find((server) => server.uuid === uuid)?.tags).toEqual(['DEV', 'web']);
    expect(await refused(client.tags.create({ name: 'Web', servers: [] }))).toEqual([409, 'TAG_EXISTS']);
    expect(await refused(client.tags.modify('web', { name: 'dev' }))).toEqual([409, 'TAG_EXISTS']);
    expect(await refused(client.servers.tag(uuid, ['web', 'none']))).toEqual([404, 'TAG_NOT_FOUND']);
    expect(await refused(client.servers.untag(uuid, ['none']))).toEqual([404, 'TAG_NOT_FOUND']);
    expect(await client.tags.modify('web', { name: 'Front' })).toMatchObject({ name: 'Front', servers: [uuid] });
    expect(await refused(client.tags.read('web'))).toEqual([404, 'TAG_NOT_FOUND']);
    expect((await client.servers.untag(uuid, ['front'])).tags).toEqual(['DEV']);
    await stopped(uuid);
    await client.servers.delete(uuid, { storages: true });
    expect((await client.tags.read('dev')).servers).toEqual([]);
    expect(await refused(client.servers.tag(uuid, ['dev']))).toEqual([404, 'SERVER_NOT_FOUND']);
  });

  test.each(['', 'a,b', 'a/b', 'web server', 'a'.repeat(33)])('sends no name that a tag cannot have: %j', async (name) => {
    const sent: unknown[] = [];
    const watched = upcloudClient({
      credentials: { token: standIn.token },
      endpoint: standIn.url,
      fetch: (...request) => {
        sent.push(request);
        return fetch(...request);
      },
    });
    await expect(watched.tags.create({ name, servers: [] })).rejects.toThrow('1 to 32 letters');
    await expect(watched.tags.modify('web', { name })).rejects.toThrow('1 to 32 letters');
    await expect((async () => watched.servers.tag('a', [name]))()).rejects.toThrow('1 to 32 letters');
    await expect((async () => watched.servers.untag('a', [name]))()).rejects.toThrow('1 to 32 letters');
    expect(sent).toEqual([]);
  });

  test('relocates a server that is stopped, to and fro between zones of one data centre', async () => {
    const { uuid, storage_devices } = await made('moved');
    const storage = storage_devices[0]?.storage ?? '';
    const backup = await client.storages.backup(storage, 'before');
    expect(await refused(client.servers.relocate(uuid, 'fi-stn2'))).toEqual([409, 'SERVER_STATE_ILLEGAL']);
    await stopped(uuid);
    expect(await refused(client.servers.relocate(uuid, 'de-fra1'))).toEqual([409, 'ZONE_MISMATCH']);
    expect(await refused(client.servers.relocate(uuid, 'fi-hel9'))).toEqual([404, 'ZONE_NOT_FOUND']);
    for (const zone of ['fi-stn2', 'fi-stn3', 'fi-hel2']) {
      expect((await client.servers.relocate(uuid, zone)).state).toBe('maintenance');
      expect(await refused(client.servers.start(uuid))).toEqual([409, 'SERVER_STATE_ILLEGAL']);
      expect((await client.storages.read(storage)).state).toBe('maintenance');
      expect((await client.servers.waitFor(uuid, 'stopped', soon)).zone).toBe(zone);
      for (const part of [storage, backup.uuid]) expect(await client.storages.read(part)).toMatchObject({ zone, state: 'online' });
    }
  });

  test('does not relocate a server that is in a private network', async () => {
    const network = await client.networks.create({
      name: 'own',
      zone: 'fi-hel2',
      ip_networks: [{ address: '10.9.0.0/24', family: 'IPv4', dhcp: true }],
    });
    const interfaces = [{ type: 'private' as const, network: network.uuid, ip_addresses: [{ family: 'IPv4' as const }] }];
    const { uuid } = await made('inside', { networking: { interfaces } });
    await stopped(uuid);
    expect(await refused(client.servers.relocate(uuid, 'fi-stn2'))).toEqual([409, 'NETWORK_FORBIDDEN']);
  });

  test('waits for a gateway until its address is there', async () => {
    const router = await client.routers.create({ name: 'r' });
    const started = { zone: 'fi-hel2', features: ['nat'], routers: [{ uuid: router.uuid }], configured_status: 'started' as const };
    const gateway = await client.gateways.create({ name: 'g', ...started });
    expect([gateway.operational_state, gateway.addresses]).toEqual(['pending', []]);
    expect((await client.gateways.read(gateway.uuid)).addresses).toEqual([{ name: 'public-ip-1' }]);
    expect(await refused(client.routers.delete(router.uuid))).toEqual([409, 'ROUTER_ATTACHED']);
    const { addresses } = await client.gateways.waitRunning(gateway.uuid, soon);
    expect(addresses.map(({ address }) => address)).toEqual([expect.stringMatching(/^5\.22\.223\.\d+$/)]);
    await client.gateways.delete(gateway.uuid);
    await client.gateways.waitGone(gateway.uuid, soon);
    await client.routers.delete(router.uuid);
  });

  test.each([
    ['keep', 2],
    ['keep_latest', 1],
    ['delete', 0],
  ] as const)('deletes a storage and does as told with its backups: %s', async (backups, left) => {
    const { uuid } = await client.storages.create({ title: 'a', zone: 'fi-hel2', size: 1 });
    const both = [await client.storages.backup(uuid, 'first'), await client.storages.backup(uuid, 'second')];
    expect((await client.storages.read(uuid)).backups).toEqual([both[1]?.uuid, both[0]?.uuid]);
    await client.storages.delete(uuid, { backups });
    const there = (await client.storages.list({ kind: 'backup' })).filter(({ origin }) => origin === uuid);
    expect(there.map(({ title }) => title)).toEqual(['first', 'second'].slice(2 - left));
  });

  test('names time zones', async () => {
    expect(await client.offer.timezones()).toEqual(expect.arrayContaining(['Europe/Helsinki', 'UTC']));
  });
});
