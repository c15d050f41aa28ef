import type { SecurityGroup } from '@aws-sdk/client-ec2';
import type { CallContext, FoundNetwork } from '../../../sdk/index.js';
import { groupsWith } from '../ec2/groups.js';
import type { Ask } from '../ec2/region.js';
import { assertOurs, mark } from '../ec2/tags.js';

/** Network of an infra in one region. Its security group is created last, and shows that the network is complete. */
export interface Network extends FoundNetwork {
  vpc: string;
  group: string;
  /** Id of an existing VPC or subnet that it uses. */
  existing?: string;
}

/** Finds a network by name. Throws `owned-by-another` if another infra of the same name has it. */
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

/** Returns the provider-independent description of a network. */
export const describeFoundNetwork = ({ name, id, range }: Network): FoundNetwork => ({ name, id, ...(range ? { range } : {}) });
