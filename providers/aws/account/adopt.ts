import type { Instance } from '@aws-sdk/client-ec2';
import { type CreateContext, type FoundServer, inputError } from '../../../sdk/index.js';
import type { Account } from '../ec2/account.js';
import type { InfraRegions } from '../ec2/infra-regions.js';
import { findInstance, instancesWith } from '../ec2/instances.js';
import type { Ask, Purpose, Region } from '../ec2/region.js';
import { assertOurs, ownTags, scopeOf } from '../ec2/tags.js';
import { belongings, describeServer } from '../servers/describe.js';
import { imageNames } from './strangers.js';

/** Adds our tags to an existing instance. Its `Name` stays, and its disks keep their owner. */
export async function adopt(
  account: Account,
  regions: InfraRegions,
  { id, name }: { id: string; name: string },
  context: CreateContext,
): Promise<FoundServer> {
  const purpose = { what: 'adopt the server', on: id, signal: context.signal };
  const { region, instance } = (await locate(account, id, purpose)) ?? gone(id);
  if (scopeOf(instance.Tags)) assertOurs(context.scope, 'server', name, instance.Tags);
  const ask = region.for(purpose);
  const namesake = await findInstance(ask, name, context);
  if (namesake && namesake.InstanceId !== id) throw taken(id, name, namesake.InstanceId);
  regions.note(context, region);
  const zone = instance.Placement?.AvailabilityZone;
  const { ImageId = '' } = instance;
  const image = (await imageNames(ask, [instance])).get(ImageId) ?? ImageId;
  const marks = { server: name, image, ...(zone ? { zone } : {}) };
  const Tags = ownTags(context, 'server', name, marks).filter(({ Key }) => Key !== 'Name');
  if (!namesake) await ask((ec2, options) => ec2.createTags({ Resources: [id], Tags }, options));
  return describeServer({ ...instance, Tags: [...Tags, ...(instance.Tags ?? [])] }, await belongings(ask, context, name));
}

async function locate(account: Account, id: string, purpose: Purpose): Promise<{ region: Region; instance: Instance } | undefined> {
  for (const region of await account.everywhere(purpose)) {
    const [instance] = await instancesWith(region.for(purpose) as Ask, [{ Name: 'instance-id', Values: [id] }]);
    if (instance) return { region, instance };
  }
  return undefined;
}

function gone(id: string): never {
  const why = 'no region of the account has an instance of this id';
  throw inputError({ code: 'server-gone', what: 'adopt the server', on: id, why });
}

const taken = (id: string, name: string, other: string | undefined) =>
  inputError({
    code: 'name-taken',
    what: 'adopt the server',
    on: id,
    why: `the infra already has a server "${name}", ${other}`,
    hint: 'choose another name for it',
  });
