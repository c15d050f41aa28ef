import type { Instance } from '@aws-sdk/client-ec2';
import type { UnmanagedServer } from '../../../sdk/index.js';
import type { Account } from '../ec2/account.js';
import { instancesWith } from '../ec2/instances.js';
import type { Ask, Region } from '../ec2/region.js';
import { mark, scopeOf, userLabels } from '../ec2/tags.js';
import { abstractName } from '../images.js';

/** Lists all servers of the account, regardless of their owner. */
export async function listStrangers(account: Account, signal?: AbortSignal): Promise<UnmanagedServer[]> {
  const purpose = { what: 'list all servers', on: 'aws', signal };
  const inRegion = async (region: Region) => {
    const ask = region.for(purpose);
    const instances = await instancesWith(ask, []);
    const names = await imageNames(ask, instances);
    return instances.map((instance) => strangerOf(instance, names));
  };
  return (await Promise.all((await account.everywhere(purpose)).map(inRegion))).flat();
}

function strangerOf(instance: Instance, names: ReadonlyMap<string, string>): UnmanagedServer {
  const { InstanceId: id = '', Tags, PublicIpAddress, PrivateIpAddress, InstanceType, ImageId = '', Placement } = instance;
  const address = PublicIpAddress ?? PrivateIpAddress;
  const scope = scopeOf(Tags);
  return {
    id,
    name: mark(Tags, 'name') ?? Tags?.find(({ Key }) => Key === 'Name')?.Value ?? id,
    ...(address ? { address } : {}),
    plan: InstanceType ?? '',
    image: mark(Tags, 'image') ?? names.get(ImageId) ?? ImageId,
    ...(Placement?.AvailabilityZone ? { zone: Placement.AvailabilityZone } : {}),
    labels: userLabels(Tags),
    ...(scope ? { scope } : {}),
  };
}

/** Returns the images' names in definitions, by image id. Foreign and deleted images have no name. */
export async function imageNames(ask: Ask, instances: readonly Instance[]): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  const Values = [...new Set(instances.flatMap(({ ImageId, Tags }) => (mark(Tags, 'image') ? [] : (ImageId ?? []))))];
  if (Values.length === 0) return known;
  // With a filter, a deleted image is not an error.
  const { Images = [] } = await ask((ec2, options) => ec2.describeImages({ Filters: [{ Name: 'image-id', Values }] }, options));
  for (const { ImageId = '', OwnerId, Name } of Images) {
    const name = abstractName(OwnerId, Name);
    if (name) known.set(ImageId, name);
  }
  return known;
}
