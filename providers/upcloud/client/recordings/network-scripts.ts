import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { isIPv4 } from 'node:net';
import { createWantedServer, hardStop, NO_PAUSE, type Script, startWantedServer } from './parts.js';

const range = {
  address: '172.16.0.0/22',
  dhcp: true,
  dhcp_default_route: true,
  dhcp_dns: ['172.16.0.10', '172.16.1.10'],
  family: 'IPv4',
  gateway: '172.16.0.1',
};

/** Returns the usual interfaces and one in a private network. */
function withPrivate(network: string) {
  const usual = createWantedServer('').networking?.interfaces ?? [];
  return { interfaces: [...usual, { type: 'private' as const, network, ip_addresses: [{ family: 'IPv4' as const }] }] };
}

export const networkScripts: Record<string, Script> = {
  async createmodifydeletenetwork(client) {
    const { uuid } = await client.networks.create({
      name: 'test private network (test)',
      zone: 'fi-hel2',
      ip_networks: [
        {
          address: '172.17.0.0/22',
          dhcp: true,
          dhcp_default_route: false,
          dhcp_dns: ['172.17.0.10', '172.17.1.10'],
          dhcp_routes: ['192.168.0.0/24', '192.168.100.100/32'],
          family: 'IPv4',
          gateway: '172.17.0.1',
        },
      ],
      labels: [{ key: 'env', value: 'test' }],
    });
    const { labels = [] } = await client.networks.modify(uuid, { name: 'modified private network (test)' });
    await client.networks.modify(uuid, { labels: [...labels, { key: 'managedBy', value: 'upcloud' }] });
    const server = await startWantedServer(client, createWantedServer('TestCreateModifyDeleteNetwork'));
    await client.servers.stop(server.uuid, hardStop);
    const wanted = { type: 'private', network: uuid, ip_addresses: [{ family: 'IPv4' }] } as const;
    const { index } = await client.servers.createInterface(server.uuid, { ...wanted, ip_addresses: [...wanted.ip_addresses] });
    const moved = await client.servers.modifyInterface(server.uuid, index, { index: 5 });
    await client.servers.deleteInterface(server.uuid, moved.index);
    await client.networks.delete(uuid);
    const left = await client.networks.list({ zone: 'fi-hel2' });
    strictEqual(
      left.some((network) => network.uuid === uuid),
      false,
    );
  },

  async createnetworkandserver(client) {
    const network = await client.networks.create({
      name: 'test_network_tcns (test)',
      zone: 'fi-hel2',
      ip_networks: [{ ...range, dhcp_default_route: false }],
    });
    // The only recording with all polls of the wait.
    const server = await startWantedServer(
      client,
      createWantedServer('TestCreateNetworkAndServer', { networking: withPrivate(network.uuid) }),
    );
    strictEqual(server.state, 'started');
    strictEqual(
      server.networking?.interfaces.some((one) => one.network === network.uuid),
      true,
    );
  },

  async dhcpnetworkconfigurations(client) {
    const configured = (population: {
      enabled: boolean;
      exclude_by_source?: string[];
      filter_by_destination?: string[];
      filter_by_route_type?: string[];
    }) => ({
      ip_networks: [{ ...range, dhcp_routes_configuration: { effective_routes_auto_population: population } }],
    });
    const { uuid } = await client.networks.create({
      name: 'sdk-test default-route yes',
      zone: 'fi-hel2',
      ...configured({ enabled: false }),
    });
    const server = await startWantedServer(
      client,
      createWantedServer('TestCreateNetworkAndServerDHCP', { networking: withPrivate(uuid) }),
    );
    await client.networks.read(uuid);
    const routes = { enabled: true, exclude_by_source: ['static-route'], filter_by_destination: [range.address] };
    await client.networks.modify(uuid, configured({ ...routes, filter_by_route_type: ['service'] }));
    const [changed] = (await client.networks.read(uuid)).ip_networks;
    strictEqual(changed?.dhcp_routes_configuration?.effective_routes_auto_population?.enabled, true);
    await client.networks.modify(uuid, configured({ ...routes, filter_by_destination: [] }));
    await client.networks.read(uuid);
    await client.servers.stop(server.uuid, hardStop);
    await client.servers.delete(server.uuid, { storages: true });
    await client.networks.delete(uuid);
  },

  async getnetworks(client) {
    await startWantedServer(client, createWantedServer('TestGetNetworks'));
    const types = new Set((await client.networks.list()).map(({ type }) => type));
    strictEqual(types.has('public') && types.has('utility'), true);
  },

  async getnetworksinzone(client) {
    const { networking } = await startWantedServer(client, createWantedServer('TestGetNetworksInZone'));
    const inZone = await client.networks.list({ zone: 'fi-hel2' });
    strictEqual(
      inZone.every(({ zone }) => zone === 'fi-hel2'),
      true,
    );
    await client.networks.read(networking?.interfaces[0]?.network ?? '');
  },

  async createmodifydeleterouter(client) {
    const static_routes = [{ name: 'static_route_0', route: '0.0.0.0/0', nexthop: '10.0.0.100' }];
    const { uuid } = await client.routers.create({ name: 'Testy McRouterface (test)', static_routes });
    await client.routers.modify(uuid, { name: 'Modified name (test)' });
    strictEqual(
      (await client.routers.list()).some((router) => router.uuid === uuid),
      true,
    );
    await client.routers.delete(uuid);
    strictEqual(
      (await client.routers.list()).some((router) => router.uuid === uuid),
      false,
    );
  },

  async getrouters(client) {
    const [first] = await client.routers.list();
    strictEqual((await client.routers.read(first?.uuid ?? '')).type, 'service');
  },

  async gatewaynat(client) {
    const router = await client.routers.create({ name: 'test-router' });
    const { uuid } = await client.gateways.create({
      name: 'test',
      zone: 'pl-waw1',
      features: ['nat'],
      routers: [{ uuid: router.uuid }],
      configured_status: 'started',
    });
    const { addresses } = await client.gateways.waitRunning(uuid, NO_PAUSE);
    deepStrictEqual(
      addresses.map(({ address, name }) => [isIPv4(address), name]),
      [[true, 'public-ip-1']],
    );
    await client.gateways.modify(uuid, { name: 'new-name', configured_status: 'stopped' });
    await client.gateways.delete(uuid);
    await client.routers.delete(router.uuid);
  },

  async getipaddresses(client) {
    const { ip_addresses } = await startWantedServer(client, createWantedServer('TestGetIPAddresses'));
    const all = (await client.ipAddresses.list()).map(({ address }) => address);
    for (const { address, access } of ip_addresses) {
      strictEqual(all.includes(address), true);
      strictEqual((await client.ipAddresses.read(address)).access, access);
    }
  },

  async attachmodifyreleaseipaddress(client) {
    const { uuid } = await startWantedServer(client, createWantedServer('TestAttachModifyReleaseIPAddress'));
    await client.servers.stop(uuid, hardStop);
    const { address } = await client.ipAddresses.create({ access: 'public', family: 'IPv6', server: uuid });
    const changed = await client.ipAddresses.modify(address, { ptr_record: 'such.pointer.example.com' });
    strictEqual(changed.ptr_record, 'such.pointer.example.com');
    await client.ipAddresses.delete(address);
  },

  async attachmodifyreleasefloatingipaddress(client) {
    const one = await startWantedServer(client, createWantedServer('TestAttachModifyReleaseIPAddress1'));
    const two = await startWantedServer(client, createWantedServer('TestAttachModifyReleaseIPAddress2'));
    const publicAddress = (server: typeof one) =>
      server.ip_addresses.find(({ access, family }) => access === 'public' && family === 'IPv4')?.address ?? '';
    const { mac } = await client.ipAddresses.read(publicAddress(one));
    const floating = await client.ipAddresses.create({ family: 'IPv4', floating: true, mac: mac ?? '' });
    strictEqual(floating.floating, true);
    await client.servers.read(one.uuid);
    const other = await client.ipAddresses.read(publicAddress(two));
    const moved = await client.ipAddresses.modify(floating.address, { mac: other.mac });
    strictEqual(moved.server, two.uuid);
    await client.servers.read(one.uuid);
    await client.servers.read(two.uuid);
    const detached = await client.ipAddresses.modify(floating.address, { mac: null });
    deepStrictEqual([detached.server, detached.mac], [undefined, undefined]);
    await client.ipAddresses.delete(floating.address);
  },
};
