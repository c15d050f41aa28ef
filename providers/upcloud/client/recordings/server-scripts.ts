import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { recordOf } from '../index.js';
import { createWantedServer, hardStop, type Script, startWantedServer, testStorage } from './parts.js';

export const serverScripts: Record<string, Script> = {
  async createdeleteserverandstorage(client) {
    const { uuid, storage_devices } = await startWantedServer(client, createWantedServer('TestCreateDeleteServerAndStorage'));
    await client.servers.stop(uuid, hardStop);
    await client.servers.delete(uuid, { storages: true });
    const left = await client.storages.list({ kind: 'private' });
    strictEqual(
      left.find((storage) => storage.uuid === storage_devices[0]?.storage),
      undefined,
    );
  },

  async createmodifydeleteserver(client) {
    const { uuid, labels } = await startWantedServer(client, createWantedServer('TestCreateModifyDeleteServer'));
    await client.servers.modify(uuid, {
      title: 'Modified server',
      labels: [...(labels ?? []), { key: 'title', value: 'Modified server' }],
      metadata: false,
      remote_access_enabled: false,
    });
    const modified = await client.servers.read(uuid);
    strictEqual(recordOf(modified.labels).title, 'Modified server');
    await client.servers.stop(uuid, hardStop);
    await client.servers.delete(uuid);
    const left = await client.storages.list({ kind: 'private' });
    strictEqual(
      left.some((storage) => storage.uuid === modified.storage_devices[0]?.storage),
      true,
    );
  },

  async createrestartserver(client) {
    const { uuid } = await startWantedServer(client, createWantedServer('createrestartserver'));
    await client.servers.restart(uuid, { ...hardStop, timeoutAction: 'ignore' });
    await client.servers.read(uuid);
    strictEqual((await client.servers.read(uuid)).state, 'started');
  },

  async createstartstopserver(client) {
    const server = await startWantedServer(client, createWantedServer('createstartstopserver'));
    deepStrictEqual([server.core_number, server.memory_amount, server.firewall, server.metadata], [1, 1024, false, false]);
    const { state } = await client.servers.stop(server.uuid, hardStop);
    strictEqual(state, 'started');
    strictEqual((await client.servers.read(server.uuid)).state, 'stopped');
    await client.servers.start(server.uuid);
  },

  async startavoidhost(client) {
    const { uuid, host } = await startWantedServer(client, createWantedServer('TestStartAvoidHost'));
    await client.servers.stop(uuid, { type: 'hard' });
    await client.servers.read(uuid);
    await client.servers.start(uuid, { avoidHost: host });
  },

  async getserverdetails(client) {
    const { uuid } = await startWantedServer(client, createWantedServer('getserverdetails'));
    const server = await client.servers.read(uuid);
    deepStrictEqual(
      server.storage_devices.map(({ address, boot_disk, storage_size }) => [address, boot_disk, storage_size]),
      [['virtio:0', false, 10]],
    );
  },

  async getservernetworks(client) {
    const { uuid } = await startWantedServer(client, createWantedServer('TestGetServerNetworks'));
    const { interfaces } = await client.servers.networking(uuid);
    deepStrictEqual(
      interfaces.map(({ type }) => type),
      ['utility', 'public', 'public'],
    );
  },

  async getserverswithfilters(client) {
    const { uuid } = await startWantedServer(client, createWantedServer('getserverswithfilters'));
    const found = await client.servers.list({ labels: ['managedBy', { key: 'testName', value: 'getserverswithfilters' }] });
    strictEqual(
      found.some((server) => server.uuid === uuid),
      true,
    );
  },

  async servergroups(client) {
    const networking = { interfaces: [{ type: 'utility' as const, ip_addresses: [{ family: 'IPv4' as const }] }] };
    const { uuid: server } = await startWantedServer(
      client,
      createWantedServer('TestServerGroups', { labels: undefined, networking }),
    );
    const managed = { key: 'managedBy', value: 'upcloud-go-sdk-integration-test' };
    const { uuid } = await client.serverGroups.create({
      title: 'test-title',
      anti_affinity: 'strict',
      labels: [managed],
      servers: [server],
    });
    await client.serverGroups.modify(uuid, { title: 'test-title-edit', servers: [] });
    await client.serverGroups.modify(uuid, { servers: [server] });
    await client.serverGroups.modify(uuid, { title: 'test-title', labels: [managed, { key: 'title', value: 'test-title' }] });
    await client.serverGroups.modify(uuid, { anti_affinity: 'yes' });
    strictEqual((await client.serverGroups.list()).length, 1);
    const labels = ['managedBy', { key: 'title', value: 'test-title' }];
    await client.serverGroups.list({ labels });
    deepStrictEqual(
      (await client.serverGroups.list({ labels })).map((group) => group.servers),
      [[server]],
    );
    await client.serverGroups.read(uuid);
    await client.serverGroups.delete(uuid);
    await client.servers.stop(server, hardStop);
    await client.servers.delete(server);
  },

  async attachdetachstorage(client) {
    const { uuid } = await startWantedServer(client, createWantedServer('TestAttachDetachStorage'));
    await client.servers.stop(uuid, hardStop);
    const storage = await client.storages.create(testStorage);
    const attached = await client.servers.attachStorage(uuid, { storage: storage.uuid, type: 'disk', address: 'scsi:0:0' });
    const device = attached.storage_devices.find((one) => one.storage === storage.uuid);
    const detached = await client.servers.detachStorage(uuid, device?.address ?? '');
    strictEqual(detached.storage_devices.length, 1);
  },

  async loadejectcdrom(client) {
    const { uuid } = await startWantedServer(client, createWantedServer('TestLoadEjectCDROM'));
    await client.servers.stop(uuid, hardStop);
    await client.servers.attachStorage(uuid, { type: 'cdrom' });
    await client.servers.loadCdrom(uuid, '01000000-0000-4000-8000-000020060101');
    await client.servers.ejectCdrom(uuid);
  },

  async firewallrules(client) {
    const { uuid } = await startWantedServer(client, createWantedServer('TestFirewallRules'));
    const accept = { direction: 'in', action: 'accept', family: 'IPv4', protocol: 'tcp' } as const;
    await client.firewallRules.create(uuid, { ...accept, comment: 'This is the comment', position: 1 });
    await client.firewallRules.list(uuid);
    deepStrictEqual((await client.firewallRules.read(uuid, 1)).destination_port_start, null);
    await client.firewallRules.replace(uuid, [
      { ...accept, comment: 'This is a new comment 0', destination_port_start: 80, destination_port_end: 80 },
      { ...accept, comment: 'This is a new comment 1', destination_port_start: 22, destination_port_end: 22 },
      { direction: 'in', action: 'drop', comment: 'This is a new comment 2' },
    ]);
    const rules = await client.firewallRules.list(uuid);
    deepStrictEqual(
      rules.map(({ position, destination_port_start }) => [position, destination_port_start]),
      [
        [1, 80],
        [2, 22],
        [3, null],
      ],
    );
    await client.firewallRules.delete(uuid, 1);
    strictEqual((await client.firewallRules.list(uuid)).length, 2);
  },
};
