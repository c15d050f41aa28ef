import type { Instance } from '@aws-sdk/client-ec2';
import { type CreateContext, type FoundServer, same, type WantedServer } from '../../../sdk/index.js';
import { associateAddress, ensureAddress, listAddresses, releaseAddresses } from '../addresses.js';
import { deleteGroup } from '../ec2/groups.js';
import { groupsOf, mainInterface } from '../ec2/instances.js';
import type { Ask } from '../ec2/region.js';
import type { Servers } from '../ec2/server-lookup.js';
import { look, throwAgain } from '../ec2/servers.js';
import { mark, tagsOf, userLabels, userTags } from '../ec2/tags.js';
import { ensureFirewall } from '../firewall.js';
import { ensurePlacement, leavePlacement } from '../placement.js';
import { attachVolumes, ensureVolumes, growVolumes, refuseShrinking } from '../volumes.js';
import { belongings } from './describe.js';
import { type PowerContext, start, stop, waitUntilSettled } from './power.js';

type UpdateContext = CreateContext & PowerContext & { pollMs: number };

export const updateServer = (
  { account, turn, locate }: Servers,
  wanted: WantedServer,
  context: CreateContext,
): Promise<FoundServer> =>
  turn(context, wanted.name, async () => {
    const purpose = { what: 'update the server', on: wanted.name, signal: context.signal };
    const { ask, instance, stateOf } = await locate(wanted.name, context, purpose);
    await changeInstance(ask, instance, wanted, { ...context, pollMs: account.pollMs, stateOf });
    return (await look(ask, wanted.name, context)) ?? throwAgain(purpose);
  });

/** Changes an instance in place as far as possible, and starts it. Parts that are correct stay unchanged. */
async function changeInstance(ask: Ask, instance: Instance, wanted: WantedServer, context: UpdateContext): Promise<void> {
  const all = await belongings(ask, context, wanted.name);
  refuseShrinking(wanted, all.volumes);
  await changeLabels(ask, instance, wanted);
  const volumes = await ensureVolumes(ask, wanted, instance.Placement?.AvailabilityZone ?? '', context);
  await growVolumes(ask, wanted, volumes);
  await changeFirewall(
    ask,
    instance,
    wanted,
    context,
    all.firewalls.map(({ GroupId = '' }) => GroupId),
  );
  await changeMachine(ask, instance, wanted, context);
  await start(ask, instance, context);
  await waitUntilSettled({ InstanceId: instance.InstanceId }, ['running'], context);
  await attachVolumes(ask, instance.InstanceId ?? '', volumes);
  await changeAddress(ask, instance, wanted, context);
}

async function changeLabels(ask: Ask, { InstanceId = '', Tags }: Instance, { labels }: WantedServer): Promise<void> {
  const there = userLabels(Tags);
  if (same(there, labels)) return;
  const changed = userTags(labels);
  const lost = userTags(there).filter(({ Key }) => !changed.some((tag) => tag.Key === Key));
  const Resources = [InstanceId];
  if (changed.length > 0) await ask((ec2, options) => ec2.createTags({ Resources, Tags: changed }, options));
  if (lost.length > 0) {
    await ask((ec2, options) => ec2.deleteTags({ Resources, Tags: lost.map(({ Key }) => ({ Key })) }, options));
  }
}

async function changeFirewall(
  ask: Ask,
  instance: Instance,
  wanted: WantedServer,
  context: UpdateContext,
  known: string[],
): Promise<void> {
  const { VpcId = '' } = instance;
  const there = groupsOf(instance);
  const others = there.filter((id) => !known.includes(id));
  const own = wanted.firewall && (await ensureFirewall(ask, { server: wanted.name, vpc: VpcId, rules: wanted.firewall }, context));
  const groups = [...others, ...(own?.GroupId ? [own.GroupId] : [])];
  if (!same([...groups].sort(), [...there].sort())) {
    const { NetworkInterfaceId } = mainInterface(instance) ?? {};
    await ask((ec2, options) => ec2.modifyNetworkInterfaceAttribute({ NetworkInterfaceId, Groups: groups }, options));
  }
  for (const id of known) if (id !== own?.GroupId) await deleteGroup(ask, id);
}

/** Changes instance type and placement, which requires a stopped instance. */
async function changeMachine(ask: Ask, instance: Instance, wanted: WantedServer, context: UpdateContext): Promise<void> {
  const { InstanceId = '', InstanceType, Placement, Tags } = instance;
  const placed = Placement?.GroupName ? mark(Tags, 'placement') : undefined;
  const moves = placed !== wanted.placement;
  if (InstanceType === wanted.plan.name && !moves) return;
  await stop(ask, instance, context);
  await waitUntilSettled({ InstanceId }, ['stopped'], context);
  if (InstanceType !== wanted.plan.name) {
    await ask((ec2, options) => ec2.modifyInstanceAttribute({ InstanceId, InstanceType: { Value: wanted.plan.name } }, options));
  }
  if (moves) {
    const GroupName = wanted.placement ? await ensurePlacement(ask, wanted.placement, context) : '';
    await ask((ec2, options) => ec2.modifyInstancePlacement({ InstanceId, GroupName }, options));
    const Resources = [InstanceId];
    if (wanted.placement) {
      await ask((ec2, options) => ec2.createTags({ Resources, Tags: tagsOf({ placement: wanted.placement ?? '' }) }, options));
    }
    await leavePlacement(ask, Placement?.GroupName);
  }
}

async function changeAddress(ask: Ask, instance: Instance, wanted: WantedServer, context: UpdateContext): Promise<void> {
  const { InstanceId = '' } = instance;
  if (!wanted.address) return releaseAddresses(ask, await listAddresses(ask, context, wanted.name));
  const address = await ensureAddress(ask, wanted.name, context);
  await associateAddress(ask, InstanceId, [address]);
}
