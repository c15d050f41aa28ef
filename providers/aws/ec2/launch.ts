import type { BlockDeviceMapping, Image, Instance, RunInstancesCommandInput } from '@aws-sdk/client-ec2';
import {
  type Access,
  type CreateContext,
  cloudInit,
  type FoundServer,
  inputError,
  unreachableError,
  type WantedServer,
} from '../../../sdk/index.js';
import { ensureAddress } from '../addresses.js';
import { vendorCode } from '../errors.js';
import { ensureFirewall } from '../firewall.js';
import { imageQuery } from '../images.js';
import { ensurePlacement } from '../placement.js';
import { describeServer } from '../servers/describe.js';
import { devicePath, ensureVolumes } from '../volumes.js';
import { findNetwork, type Network } from '../vpc/find-network.js';
import { ensureSubnet, listSubnets } from '../vpc/subnets.js';
import { parseZone } from '../zones.js';
import { findInstance } from './instances.js';
import type { Ask } from './region.js';
import { clientToken, ownTags, tagsOf, userTags } from './tags.js';
import { lookUntilBelieved } from './waits.js';

/** Maximum number of tokens to try if a terminated instance has used them. */
const TOKENS = 20;

export type LaunchContext = CreateContext & { access: Access; pollMs: number };

/** Launches a server with all its belongings. A second attempt finds every part of the first one. */
export async function launch(
  ask: Ask,
  wanted: WantedServer,
  availabilityZone: string | undefined,
  context: LaunchContext,
): Promise<FoundServer> {
  const network = (await lookUntilBelieved(context, () => findNetwork(ask, wanted.network, context))) ?? noNetwork(wanted);
  const image = await findImage(ask, wanted);
  const subnet = await subnetFor(ask, network, availabilityZone, context);
  const placement = wanted.placement && (await ensurePlacement(ask, wanted.placement, context));
  const firewall =
    wanted.firewall && (await ensureFirewall(ask, { server: wanted.name, vpc: network.vpc, rules: wanted.firewall }, context));
  const address = wanted.address && (await ensureAddress(ask, wanted.name, context));
  const volumes = await ensureVolumes(ask, wanted, subnet.AvailabilityZone ?? '', context);
  const groups = [network.group, ...(firewall?.GroupId ? [firewall.GroupId] : [])];
  const instance = await run(ask, wanted, context, {
    MinCount: 1,
    MaxCount: 1,
    ImageId: image.ImageId,
    InstanceType: wanted.plan.name as NonNullable<RunInstancesCommandInput['InstanceType']>,
    UserData: userData(wanted, context.access, volumes),
    NetworkInterfaces: [
      {
        DeviceIndex: 0,
        SubnetId: subnet.SubnetId,
        Groups: groups,
        DeleteOnTermination: true,
        // Existing networks have their own rules for public addresses.
        ...(network.existing ? {} : { AssociatePublicIpAddress: true }),
      },
    ],
    BlockDeviceMappings: [rootDisk(wanted, image)],
    ...(placement ? { Placement: { GroupName: placement } } : {}),
    MetadataOptions: { HttpTokens: 'required', HttpEndpoint: 'enabled' },
    TagSpecifications: tagSpecifications(wanted, context),
  });
  return describeServer(instance, {
    volumes,
    firewalls: firewall ? [firewall] : [],
    addresses: address ? [ownAddress(address, wanted)] : [],
  });
}

const ownAddress = <T extends object>(address: T, { name }: WantedServer) => ({ ...address, Tags: tagsOf({ name }) });

/** Runs the instance with our token: for a repeated request, AWS returns the first instance. */
async function run(ask: Ask, wanted: WantedServer, context: CreateContext, input: RunInstancesCommandInput): Promise<Instance> {
  for (let count = 1; count <= TOKENS; count++) {
    const ClientToken = clientToken(context, 'server', wanted.name, String(count));
    try {
      const { Instances: [instance] = [] } = await ask((ec2, options) => ec2.runInstances({ ...input, ClientToken }, options));
      if (instance && !['terminated', 'shutting-down'].includes(instance.State?.Name ?? '')) return instance;
    } catch (error) {
      const code = vendorCode(error);
      // An earlier attempt succeeded with other parameters, such as an older image: use its instance.
      const made = code === 'IdempotentParameterMismatch' ? await findInstance(ask, wanted.name, context) : undefined;
      if (made) return made;
      if (code !== 'IdempotentInstanceTerminated') throw error;
    }
  }
  throw unreachableError({
    code: 'aws-not-settled',
    what: 'make the server',
    on: wanted.name,
    why: 'AWS returned instances that no longer exist',
  });
}

function userData(
  { name, volumes: mounts }: WantedServer,
  access: Access,
  volumes: readonly { VolumeId?: string | undefined }[],
): string {
  const text = cloudInit({
    hostname: name,
    access,
    mounts: mounts.map(({ mount }, index) => ({ device: devicePath(volumes[index]?.VolumeId ?? ''), mount })),
  });
  return Buffer.from(text).toString('base64');
}

function rootDisk({ plan }: WantedServer, { RootDeviceName, BlockDeviceMappings = [] }: Image): BlockDeviceMapping {
  const least = BlockDeviceMappings.find(({ DeviceName }) => DeviceName === RootDeviceName)?.Ebs?.VolumeSize ?? 0;
  return {
    DeviceName: RootDeviceName,
    Ebs: { VolumeSize: Math.max(plan.diskGiB, least), VolumeType: 'gp3', DeleteOnTermination: true },
  };
}

function tagSpecifications(wanted: WantedServer, context: CreateContext): RunInstancesCommandInput['TagSpecifications'] {
  const { name, role, image, network, placement, labels } = wanted;
  const { zone } = wanted;
  const marks = {
    ...{ server: name, role, image, network },
    ...(placement ? { placement } : {}),
    // For a wanted region, any of its zones is possible.
    ...(zone && parseZone(zone)?.availabilityZone ? { zone } : {}),
  };
  return [
    { ResourceType: 'instance', Tags: [...ownTags(context, 'server', name, marks), ...userTags(labels)] },
    { ResourceType: 'volume', Tags: ownTags(context, 'disk', name, { server: name }) },
  ];
}

/** Finds the publisher's newest image for the instance type. */
async function findImage(ask: Ask, { name, image, plan }: WantedServer): Promise<Image> {
  const query = imageQuery(image, plan.name);
  if (query) {
    const { id, owner, name: pattern, architecture } = query;
    const Filters = [
      { Name: 'state', Values: ['available'] },
      ...(pattern ? [{ Name: 'name', Values: [pattern] }] : []),
      ...(id ? [] : [{ Name: 'architecture', Values: [architecture] }]),
    ];
    const input = { Filters, ...(id ? { ImageIds: [id] } : {}), ...(owner ? { Owners: [owner] } : {}) };
    const { Images = [] } = await ask((ec2, options) => ec2.describeImages(input, options));
    const [newest] = Images.sort((a, b) => (b.CreationDate ?? '').localeCompare(a.CreationDate ?? ''));
    if (newest) return newest;
  }
  throw inputError({
    code: 'unknown-image',
    what: 'make the server',
    on: name,
    why: `AWS has no image "${image}" for ${plan.name} in this region`,
    hint: '`provisioning provider images aws` lists all images; an id such as ami-0a1b2c3d also works',
  });
}

/** Returns the subnet in the wanted zone, or any subnet of the network. */
async function subnetFor(ask: Ask, network: Network, availabilityZone: string | undefined, context: CreateContext) {
  if (!network.existing) {
    return ensureSubnet(ask, { network: network.name, vpc: network.vpc, range: network.range ?? '', availabilityZone }, context);
  }
  const { existing } = network;
  const all = await listSubnets(ask, network.vpc);
  const open = existing.startsWith('subnet-') ? all.filter(({ SubnetId }) => SubnetId === existing) : all;
  const subnet = open.find(({ AvailabilityZone }) => !availabilityZone || AvailabilityZone === availabilityZone);
  if (subnet) return subnet;
  throw inputError({
    code: 'unknown-zone',
    what: 'make the server',
    on: existing,
    why: `it has no subnet in ${availabilityZone ?? 'any zone'}`,
    hint: `it has subnets in ${[...new Set(open.map(({ AvailabilityZone }) => AvailabilityZone))].join(', ') || 'none'}`,
  });
}

function noNetwork({ name, network }: WantedServer): never {
  throw inputError({
    code: 'network-missing',
    what: 'make the server',
    on: name,
    why: `its network "${network}" does not exist in its region`,
    hint: 'an AWS network has one region: use a network with another name for servers in another region',
  });
}
