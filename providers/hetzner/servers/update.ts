import * as z from 'zod';
import { type CreateContext, type FoundServer, same, type WantedServer } from '../../../sdk/index.js';
import { removeHelpers } from '../account/others.js';
import { action, primaryIp, type Server } from '../api/shapes.js';
import { ensureFirewall, sameFirewall, vendorRules } from '../firewall.js';
import { networkFor } from '../networks.js';
import { ensurePlacement } from '../placement.js';
import { hetznerName, ourLabelsIn, ownLabels, userLabels } from '../project/labels.js';
import { readMachineLabels, writeMachineLabels } from '../project/machine-labels.js';
import type { Project } from '../project/project.js';
import { must, type Servers, throwGone } from '../project/servers.js';
import { attach, ensureVolume, refuseShrinking, volumeSize } from '../volumes.js';
import { describe, readServer } from './describe.js';
import { act, powerOff, powerOn, waitUntilUnlocked } from './power.js';

const acted = z.object({ actions: z.array(action).default([]) });

export async function updateServer(servers: Servers, wanted: WantedServer, context: CreateContext): Promise<FoundServer> {
  const { project } = servers;
  const row = await must(servers, wanted.name, context);
  const free = await waitUntilUnlocked(project, row, context);
  await changeServer(project, free, await describe(project, free, context), wanted, context);
  return (await readServer(servers, wanted.name, context)) ?? throwGone(wanted.name);
}

/**
 * Changes a server in place as far as possible. Each part starts from the present state, so that another attempt
 * resumes an interrupted one. Changes that require power off come last, together.
 */
async function changeServer(
  project: Project,
  row: Server,
  found: FoundServer,
  wanted: WantedServer,
  context: CreateContext,
): Promise<void> {
  await changeVolumes(project, row, found, wanted, context);
  await changeFirewall(project, row, found, wanted, context);
  await changeAddress(project, row, found, wanted, context);
  await changeLabels(project, row, wanted, context);
  if (found.network === undefined) {
    const network = await networkFor(project, wanted, row.location.name, context);
    if (!row.private_net.some((one) => one.network === network.id))
      await act(project, row, 'attach_to_network', { network: network.id }, context);
  }
  const moves = found.placement !== wanted.placement;
  const resized = found.plan !== wanted.plan.name;
  if (moves || resized) {
    await powerOff(project, row, context);
    if (moves) await changePlacement(project, row, wanted, context);
    // With a larger disk, it could never return to the former plan.
    if (resized) await act(project, row, 'change_type', { server_type: wanted.plan.name, upgrade_disk: false }, context);
  }
  const now = moves || resized ? await project.ours('server', wanted.name, context) : row;
  if (now && /^(off|stopping)$/.test(now.status)) await powerOn(project, now, context);
}

async function changeVolumes(
  project: Project,
  row: Server,
  found: FoundServer,
  { name, volumes }: WantedServer,
  context: CreateContext,
): Promise<void> {
  const changed = volumes.filter((one) => found.volumeSizes?.[one.name] !== volumeSize(one.sizeGiB));
  // Verify all before any change.
  for (const one of changed) {
    const there = await project.ours('volume', `${name}/${one.name}`, context);
    if (there) refuseShrinking(`${name}/${one.name}`, volumeSize(one.sizeGiB), there);
  }
  for (const one of changed) {
    const there = await ensureVolume(project, name, one, row.location.name, context);
    if (there.server === null) await attach(project, there, row, context);
  }
}

async function changeFirewall(project: Project, row: Server, found: FoundServer, wanted: WantedServer, context: CreateContext) {
  if (sameFirewall(found.firewall, wanted.firewall)) return;
  const about = { what: 'change the firewall', on: wanted.name, signal: context.signal };
  const change = async (id: number, verb: string, body: object) =>
    project.actions.finished((await project.api.post(acted, `firewalls/${id}/actions/${verb}`, body, about)).actions, about);
  const resource = [{ type: 'server', server: { id: row.id } }];
  const isApplied = (id: number) => row.public_net.firewalls.some((one) => one.id === id);
  if (!wanted.firewall) {
    const there = await project.ours('firewall', wanted.name, context);
    if (there && isApplied(there.id)) await change(there.id, 'remove_from_resources', { remove_from: resource });
    return removeHelpers(project, wanted.name, context, true);
  }
  const there = await ensureFirewall(project, wanted, context);
  await change(there.id, 'set_rules', { rules: vendorRules(wanted.firewall) });
  if (!isApplied(there.id)) await change(there.id, 'apply_to_resources', { apply_to: resource });
}

/** Sets whether a server's address outlives the server. */
async function changeAddress(
  project: Project,
  row: Server,
  found: FoundServer,
  { name, address }: WantedServer,
  context: CreateContext,
) {
  const id = row.public_net.ipv4?.id;
  if (found.address === address || id === undefined) return;
  const body = address
    ? { auto_delete: false, name: hetznerName(context.scope, name), labels: ownLabels('address', name, context) }
    : { auto_delete: true, labels: {} };
  await project.api.put(z.object({ primary_ip: primaryIp }), `primary_ips/${id}`, body, {
    what: 'change the address',
    on: name,
    signal: context.signal,
  });
}

/** Keeps the creator's labels, because the server is not created now. */
async function changeLabels(project: Project, row: Server, wanted: WantedServer, { signal }: CreateContext) {
  const mounts = Object.fromEntries(wanted.volumes.map(({ name, mount }) => [name, mount]));
  const kept = Object.fromEntries(
    Object.entries(ourLabelsIn(row.labels)).filter(([key]) => !/^provisioning\.(address|network|mounts|image)(\.\d+)?$/.test(key)),
  );
  const said = writeMachineLabels({
    image: readMachineLabels(row.labels).image ?? wanted.image,
    network: wanted.network,
    mounts,
    address: wanted.address,
  });
  const labels = { ...userLabels(wanted.labels), ...kept, ...said };
  if (same(labels, row.labels)) return;
  const about = { what: 'change the labels', on: wanted.name, signal };
  await project.api.put(z.unknown(), `servers/${row.id}`, { labels }, about);
}

async function changePlacement(project: Project, row: Server, { placement }: WantedServer, context: CreateContext) {
  if (row.placement_group) await act(project, row, 'remove_from_placement_group', {}, context);
  if (!placement) return;
  const group = await ensurePlacement(project, placement, context);
  await act(project, row, 'add_to_placement_group', { placement_group: group.id }, context);
}
