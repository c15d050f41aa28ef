import type { Scope } from '../../../core/machine/call-context.js';
import type { Label } from './account.js';
import type { UpCloudStandIn } from './stand-in.js';

const bears = (labels: Label[], wanted: Record<string, string>): boolean =>
  Object.entries(wanted).every(([key, value]) => labels.some((one) => one.key === `provisioning.${key}` && one.value === value));

/** Returns the direct accesses of tests to an account, without the provider. */
export function behind(standIn: UpCloudStandIn) {
  const { world } = standIn;
  const server = ({ uuid }: Scope, name: string) => {
    const found = [...world.account.servers.values()].find(({ labels }) => bears(labels, { uuid, name, kind: 'server' }));
    if (!found) throw new Error(`the stand-in has no server ${name}`);
    return found;
  };
  const call = async (
    method: string,
    path: string,
    body: unknown,
  ): Promise<{ server: { uuid: string }; network: { uuid: string } }> => {
    const headers = { authorization: `Bearer ${standIn.token}`, 'content-type': 'application/json' };
    const response = await fetch(`${standIn.url}/1.3${path}`, { method, headers, body: JSON.stringify(body) });
    return (await response.json()) as never;
  };
  const makeNetwork = async () => {
    const ip_network = [{ address: '10.99.0.0/24', family: 'IPv4', dhcp: 'yes' }];
    const { network } = await call('POST', '/network/', {
      network: { name: 'theirs', zone: 'de-fra1', ip_networks: { ip_network } },
    });
    return network.uuid;
  };

  return {
    countCreated: async ({ infra }: Scope, name: string) => world.account.made[`${infra}-${name}`] ?? 0,

    async stop(scope: Scope, name: string) {
      const found = server(scope, name);
      await world.machines.get(found.uuid)?.stop();
      Object.assign(found, { state: 'stopped', next: undefined });
    },

    async detach({ uuid }: Scope, name: string) {
      const volume = [...world.account.storages.values()].find(({ labels }) => bears(labels, { uuid, name, kind: 'volume' }));
      for (const one of world.account.servers.values()) one.devices = one.devices.filter(({ storage }) => storage !== volume?.uuid);
    },

    async makeStranger(name: string) {
      const network = await makeNetwork();
      const storage = '01000000-0000-4000-8000-000020070100';
      const { server: made } = await call('POST', '/server', {
        server: {
          title: name,
          hostname: name,
          zone: 'de-fra1',
          plan: '1xCPU-1GB',
          metadata: 'yes',
          labels: { label: [{ key: 'made-by', value: 'hand' }] },
          storage_devices: { storage_device: [{ action: 'clone', storage, title: name, size: 25 }] },
          networking: {
            interfaces: {
              interface: [
                { type: 'public', ip_addresses: { ip_address: [{ family: 'IPv4' }] } },
                { type: 'private', network, ip_addresses: { ip_address: [{ family: 'IPv4' }] } },
              ],
            },
          },
        },
      });
      return made.uuid;
    },

    async makeNetwork() {
      const id = await makeNetwork();
      return { id, isThere: async () => world.account.networks.has(id) };
    },

    async fill(full: boolean) {
      world.limits.cores = full ? 0 : 1000;
    },

    userData: async (scope: Scope, name: string) => world.userData.get(server(scope, name).uuid) ?? '',
  };
}
