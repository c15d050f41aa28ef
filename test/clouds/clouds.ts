import { whyNoHosts } from '../support/hosts.js';
import { whyNoMoto } from './aws/moto.js';
import { startAws } from './aws/stand-in.js';
import { type Elsewhere, elsewhereAtAws, elsewhereAtHetzner, elsewhereAtUpCloud } from './elsewhere.js';
import { behind, leftIn } from './hetzner/behind.js';
import { startHetzner } from './hetzner/stand-in.js';
import { behind as behindUpCloud } from './upcloud/behind.js';
import { startUpCloud } from './upcloud/stand-in.js';

/** Stand-in whose servers are hosts. */
export interface CloudOnHosts {
  /** Environment variables that describe the account to the worker. */
  env: Record<string, string>;
  /** Returns the public address of a server, by our name. */
  address(server: string): Promise<string | undefined>;
  /** Returns the number of remaining resources by kind. */
  left(): Promise<Record<string, number>>;
  /** Actions of a person through the vendor's API. */
  elsewhere: Elsewhere;
  /** Sets or removes a limit that prevents further servers in the account. */
  fill(full: boolean): Promise<void>;
  close(): Promise<void>;
}

export interface CloudKind {
  provider: string;
  start(): Promise<CloudOnHosts>;
  /** Returns the reason why it cannot be started here. */
  whyNot?(): Promise<string | undefined>;
}

/**
 * Returns the clouds that can be started here, and prints which are left out and why.
 *
 * @param short clouds that are enough for short runs; `LONG=1` uses all of them
 */
export async function cloudsHere(short: readonly string[]): Promise<CloudKind[]> {
  const none = await whyNoHosts();
  if (none) console.warn(`left out: ${none}`);
  const here: CloudKind[] = [];
  for (const cloud of CLOUDS.filter(({ provider }) => process.env.LONG || short.includes(provider))) {
    const missing = none ?? (await cloud.whyNot?.());
    if (missing) console.warn(`left out: ${cloud.provider}: ${missing}`);
    else here.push(cloud);
  }
  return here;
}

/** All clouds with a stand-in. */
export const CLOUDS: readonly CloudKind[] = [
  {
    provider: 'hetzner',
    async start() {
      const standIn = await startHetzner({ hosts: 'docker' });
      const { state } = standIn.world;
      return {
        env: { HCLOUD_TOKEN: standIn.token, HCLOUD_ENDPOINT: standIn.endpoint },
        address: async (name) => [...state.servers.values()].find(({ labels }) => labels['provisioning.name'] === name)?.ipv4,
        left: async () => leftIn(standIn),
        elsewhere: elsewhereAtHetzner(standIn.endpoint, standIn.token),
        fill: behind(standIn).fill ?? (async () => {}),
        close: () => standIn.close(),
      };
    },
  },
  {
    provider: 'upcloud',
    async start() {
      const standIn = await startUpCloud({ hosts: 'docker' });
      const { account, machines } = standIn.world;
      return {
        env: { UPCLOUD_TOKEN: standIn.token, UPCLOUD_API_URL: standIn.url },
        address: async (name) => {
          const named = [...account.servers.values()].find(({ labels }) =>
            labels.some(({ key, value }) => key === 'provisioning.name' && value === name),
          );
          return named && machines.get(named.uuid)?.address;
        },
        left: async () => {
          const { servers, storages, networks, routers, groups, addresses } = account;
          const tables = Object.entries({ servers, storages, networks, routers, groups, addresses });
          return Object.fromEntries(tables.flatMap(([table, { size }]) => (size > 0 ? [[table, size]] : [])));
        },
        elsewhere: elsewhereAtUpCloud(standIn.url, standIn.token),
        fill: (full) => behindUpCloud(standIn).fill(full),
        close: () => standIn.close(),
      };
    },
  },
  {
    provider: 'aws',
    whyNot: whyNoMoto,
    async start() {
      const standIn = await startAws({ hosts: 'docker' });
      const ec2 = await standIn.client();
      const marked = { Filters: [{ Name: 'tag-key', Values: ['provisioning.uuid'] }] };
      const living = async () => {
        const { Reservations = [] } = await ec2.describeInstances(marked);
        return Reservations.flatMap(({ Instances = [] }) => Instances).filter(({ State }) => State?.Name !== 'terminated');
      };
      return {
        env: standIn.env,
        elsewhere: elsewhereAtAws(() => standIn.client()),
        async address(name) {
          const named = (await living()).find(({ Tags = [] }) =>
            Tags.some(({ Key, Value }) => Key === 'provisioning.name' && Value === name),
          );
          return named?.PublicIpAddress;
        },
        async left() {
          const [servers, { Volumes }, { Vpcs }, { SecurityGroups }, { KeyPairs }, { Addresses }, { PlacementGroups }] =
            await Promise.all([
              living(),
              ec2.describeVolumes(marked),
              ec2.describeVpcs(marked),
              ec2.describeSecurityGroups(marked),
              ec2.describeKeyPairs(marked),
              ec2.describeAddresses(marked),
              ec2.describePlacementGroups(marked),
            ]);
          const tables = { servers, Volumes, Vpcs, SecurityGroups, KeyPairs, Addresses, PlacementGroups };
          return Object.fromEntries(
            Object.entries(tables).flatMap(([table, rows = []]) => (rows.length > 0 ? [[table, rows.length]] : [])),
          );
        },
        async fill(full) {
          standIn.cloud.full = full;
        },
        close: () => standIn.close(),
      };
    },
  },
];
