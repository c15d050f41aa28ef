import { type CallContext, type CreateContext, quote, type Scope } from '../../sdk/index.js';
import { isNotFound, type Server, type ServerGroup } from './client/index.js';
import { type Cloud, lookUntilBelieved } from './cloud/cloud.js';
import { createLabels, filterByScope, listLabels, mergeUserLabels, read, sortByAge } from './cloud/labels.js';
import { removeGroup } from './placement.js';

const publicOf = ({ networking }: Server) =>
  networking?.interfaces.find(
    ({ type, ip_addresses }) => type === 'public' && ip_addresses.some(({ family }) => family === 'IPv4'),
  );

const addressesOf = (server: Server) => publicOf(server)?.ip_addresses.filter(({ family }) => family === 'IPv4') ?? [];

/** Returns the server's original address. `floatingOn` returns the one inherited from a former machine. */
const ownOn = (server: Server) => addressesOf(server).find(({ floating }) => !floating);
const floatingOn = (server: Server) => addressesOf(server).find(({ floating }) => floating)?.address;

/** Returns the public IPv4 address; empty without one. */
export const publicAddress = (server: Server): string => floatingOn(server) ?? ownOn(server)?.address ?? '';

/** Reports whether its address survives a replacement. */
export const isReserved = (server: Server): boolean => floatingOn(server) !== undefined || ownOn(server)?.release_policy === 'keep';

/**
 * Returns the empty server groups that record the owner of an address, even without a server: addresses have no labels.
 */
const notes = async ({ client }: Cloud, scope: Scope, name: string, signal?: AbortSignal): Promise<ServerGroup[]> =>
  sortByAge(await client.serverGroups.list({ labels: filterByScope(scope, 'address', name) }, { signal }));

/** Returns the address that a former machine of this name has left. */
export async function findLeftAddress(cloud: Cloud, name: string, { scope, signal }: CallContext): Promise<string | undefined> {
  const [note] = await notes(cloud, scope, name, signal);
  return read(note?.labels, 'address');
}

/**
 * Makes the server's address permanent. The original address is kept on deletion, and then floats; an address from a
 * former machine is attached.
 */
export async function reserveAddress(cloud: Cloud, server: Server, name: string, context: CreateContext): Promise<void> {
  const { client } = cloud;
  const { scope, signal } = context;
  const [known] = await lookUntilBelieved(cloud, signal, () => notes(cloud, scope, name, signal));
  const note =
    known ??
    (await client.serverGroups.create(
      { title: `${scope.infra}-${name}-address`, anti_affinity: 'no', labels: listLabels(createLabels(context, 'address', name)) },
      { signal },
    ));
  const noted = read(note.labels, 'address');
  const address = floatingOn(server) ?? (await attach(cloud, noted, server, signal)) ?? (await keep(cloud, server, signal));
  if (address === noted) return;
  await client.serverGroups.modify(note.uuid, { labels: mergeUserLabels(note.labels, {}, { address }) }, { signal });
}

async function attach(
  { client }: Cloud,
  noted: string | undefined,
  server: Server,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (!noted || noted === ownOn(server)?.address) return undefined;
  try {
    return (await client.ipAddresses.modify(noted, { mac: publicOf(server)?.mac }, { signal })).address;
  } catch (error) {
    // The address was released in the meantime.
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function keep({ client }: Cloud, server: Server, signal?: AbortSignal): Promise<string> {
  const own = ownOn(server);
  if (own && own.release_policy !== 'keep') await client.ipAddresses.modify(own.address, { release_policy: 'keep' }, { signal });
  return own?.address ?? '';
}

/** Releases the address of this server name, which no server has any more. */
export async function releaseAddress(cloud: Cloud, scope: Scope, name: string, signal?: AbortSignal): Promise<void> {
  for (const note of await notes(cloud, scope, name, signal)) {
    const address = read(note.labels, 'address');
    if (address) await give(cloud, address, signal);
    await removeGroup(cloud, note.uuid, signal);
  }
}

/** Lets a server's original address end with the server, and releases the inherited one. */
export async function releaseFrom(cloud: Cloud, server: Server, signal?: AbortSignal): Promise<void> {
  const own = ownOn(server);
  if (own?.release_policy === 'keep') await cloud.client.ipAddresses.modify(own.address, { release_policy: 'release' }, { signal });
  const floating = floatingOn(server);
  if (floating) await give(cloud, floating, signal);
}

/** Releases an address. Only floating addresses can be released. */
async function give({ client }: Cloud, address: string, signal?: AbortSignal): Promise<void> {
  try {
    const found = await client.ipAddresses.read(address, { signal });
    if (!found.floating) return;
    if (found.mac) await client.ipAddresses.modify(address, { mac: null }, { signal });
    await client.ipAddresses.delete(address, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Returns the script for an address that DHCP does not assign: it runs at each boot, when the network is up. */
export const addressScript = (address: string): string => `cat >/usr/local/sbin/provisioning-address <<'END'
#!/bin/sh
device=$(ip -4 route show default | awk '{ for (i = 1; i < NF; i++) if ($i == "dev") { print $(i + 1); exit } }')
ip addr replace ${quote(address)}/32 dev "$device"
END
chmod 755 /usr/local/sbin/provisioning-address
cat >/etc/systemd/system/provisioning-address.service <<'END'
[Unit]
After=network-online.target
Wants=network-online.target
[Service]
Type=oneshot
ExecStart=/usr/local/sbin/provisioning-address
[Install]
WantedBy=multi-user.target
END
systemctl daemon-reload
systemctl enable --now provisioning-address.service`;
