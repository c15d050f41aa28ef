import type { CreateContext, Scope } from '../../core/provider.js';
import { isNotFound, type Server, type ServerGroup } from './client/index.js';
import { believed, type Cloud } from './cloud.js';
import { byAge, madeLabels, named, read, toList, withUserLabels } from './labels.js';
import { removeGroup } from './placement.js';

/** The interface that a floating address is attached to, and the address that is. */
const publicOf = ({ networking }: Server) =>
  networking?.interfaces.find(
    ({ type, ip_addresses }) => type === 'public' && ip_addresses.some(({ family }) => family === 'IPv4'),
  );

export const floatingOn = (server: Server): string | undefined =>
  publicOf(server)?.ip_addresses.find(({ floating, family }) => floating && family === 'IPv4')?.address;

/**
 * Addresses bear no labels, so an empty server group does in their place: it says
 * whose an address is, also while no server has it.
 */
const notes = async ({ client }: Cloud, scope: Scope, name: string, signal?: AbortSignal): Promise<ServerGroup[]> =>
  byAge(await client.serverGroups.list({ labels: named(scope, 'address', name) }, { signal }));

/** Gives the server its floating address: the one that it had before it was replaced, or a new one. */
export async function reserveAddress(cloud: Cloud, server: Server, name: string, context: CreateContext): Promise<void> {
  const { client } = cloud;
  const { scope, signal } = context;
  const [known] = await believed(cloud, signal, () => notes(cloud, scope, name, signal));
  const note =
    known ??
    (await client.serverGroups.create(
      { title: `${scope.infra}-${name}-address`, anti_affinity: 'no', labels: toList(madeLabels(context, 'address', name)) },
      { signal },
    ));
  const noted = read(note.labels, 'address');
  const attached = floatingOn(server);
  const address = attached ?? (await attach(cloud, noted, publicOf(server)?.mac ?? '', signal));
  if (address === noted) return;
  await client.serverGroups.modify(note.uuid, { labels: withUserLabels(note.labels, {}, { address }) }, { signal });
}

async function attach({ client }: Cloud, noted: string | undefined, mac: string, signal?: AbortSignal): Promise<string> {
  if (noted) {
    try {
      return (await client.ipAddresses.modify(noted, { mac }, { signal })).address;
    } catch (error) {
      // Somebody has given it up meanwhile.
      if (!isNotFound(error)) throw error;
    }
  }
  return (await client.ipAddresses.create({ family: 'IPv4', floating: true, mac }, { signal })).address;
}

/** Gives up the address of a server of this name, attached or not. */
export async function releaseAddress(cloud: Cloud, scope: Scope, name: string, signal?: AbortSignal): Promise<void> {
  for (const note of await notes(cloud, scope, name, signal)) {
    const address = read(note.labels, 'address');
    if (address) await give(cloud, address, signal);
    await removeGroup(cloud, note.uuid, signal);
  }
}

/** A floating address that the note does not know yet is known while its server has it. */
export async function releaseFrom(cloud: Cloud, server: Server, signal?: AbortSignal): Promise<void> {
  const address = floatingOn(server);
  if (address) await give(cloud, address, signal);
}

async function give({ client }: Cloud, address: string, signal?: AbortSignal): Promise<void> {
  try {
    await client.ipAddresses.modify(address, { mac: null }, { signal });
    await client.ipAddresses.delete(address, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** What the machine does to have the address: its own metadata name it, whenever it was attached. */
export const FLOATING_SCRIPT = String.raw`cat >/usr/local/sbin/provisioning-floating <<'END'
#!/bin/sh
# Adds the floating addresses of this server, which UpCloud's DHCP does not give out.
base=http://169.254.169.254/metadata/v1/network/interfaces
device=$(ip -4 route show default | sed -n 's/.* dev \([^ ]*\).*/\1/p' | head -n 1)
for interface in $(curl -sf -m 5 $base/); do
  for number in $(curl -sf -m 5 "$base/$interface"ip_addresses/); do
    at="$base/$interface"ip_addresses/"$number"
    case "$(curl -sf -m 5 "$at"floating)" in true|yes|True) ip addr replace "$(curl -sf -m 5 "$at"address)/32" dev "$device" ;; esac
  done
done
exit 0
END
chmod 755 /usr/local/sbin/provisioning-floating
printf '[Unit]\nAfter=network-online.target\n[Service]\nType=oneshot\nExecStart=/usr/local/sbin/provisioning-floating\n' >/etc/systemd/system/provisioning-floating.service
printf '[Timer]\nOnBootSec=5\nOnUnitActiveSec=60\n[Install]\nWantedBy=timers.target\n' >/etc/systemd/system/provisioning-floating.timer
systemctl daemon-reload
systemctl enable --now provisioning-floating.timer`;
