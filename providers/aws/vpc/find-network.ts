import type { SecurityGroup } from '@aws-sdk/client-ec2';
import type { CallContext, FoundNetwork } from '../../../sdk/index.js';
import { groupsWith } from '../ec2/groups.js';
import type { Ask } from '../ec2/region.js';
import { assertOurs, mark } from '../ec2/tags.js';

/** A network of an infra in one region: it is whole when its security group is there, which is made last. */
export interface Network extends FoundNetwork {
  vpc: string;
  group: string;
  /** A VPC or subnet that was there before. */
  existing?: string;
}

/** The network of this name; throws `owned-by-another` where another infra of the same name has it. */
export async function findNetwork(ask: Ask, name: string, { scope }: CallContext): Promise<Network | undefined> {
  const { workspace, infra } = scope;
  const groups = await groupsWith(ask, { workspace, infra, kind: 'network', name });
  for (const { Tags } of groups) assertOurs(scope, 'network', name, Tags);
  const [group] = groups.sort((a, b) => ((a.GroupId ?? '') < (b.GroupId ?? '') ? -1 : 1));
  return group && networkOf(group);
}

export async function networksIn(ask: Ask, { scope }: CallContext): Promise<Network[]> {
  const { workspace, infra, uuid } = scope;
  return (await groupsWith(ask, { workspace, infra, uuid, kind: 'network' })).map(networkOf);
}

export function networkOf({ Tags, GroupId = '', VpcId = '' }: SecurityGroup): Network {
  const existing = mark(Tags, 'existing');
  const range = mark(Tags, 'range');
  return {
    name: mark(Tags, 'name') ?? '',
    id: existing ?? VpcId,
    vpc: VpcId,
    group: GroupId,
    ...(range ? { range } : {}),
    ...(existing ? { existing } : {}),
  };
}

/** As everybody sees it. */
export const describeFoundNetwork = ({ name, id, range }: Network): FoundNetwork => ({ name, id, ...(range ? { range } : {}) });
