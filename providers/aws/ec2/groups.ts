import type { IpPermission, SecurityGroup } from '@aws-sdk/client-ec2';
import type { CallContext } from '../../../sdk/index.js';
import { unless, vendorCode } from '../errors.js';
import { pages } from './account.js';
import type { Ask } from './region.js';
import { assertOurs, createMarkFilters, type Kind, type Mark, ownName, ownTags, tagSpecification } from './tags.js';
import { createNotSettled, lookUntilBelieved } from './waits.js';

type MakeContext = CallContext & { key: string; pollMs: number };

export interface WantedGroup {
  kind: Kind;
  /** Network or server of the group. */
  name: string;
  vpc: string;
  marks?: Partial<Record<Mark, string>>;
}

/** Finds or creates one of our groups in a VPC. Its name is unique, so that it is never created twice. */
export async function ensureGroup(ask: Ask, { kind, name, vpc, marks }: WantedGroup, context: MakeContext): Promise<SecurityGroup> {
  const GroupName = ownName(context.scope, kind, name);
  const Filters = [
    { Name: 'vpc-id', Values: [vpc] },
    { Name: 'group-name', Values: [GroupName] },
  ];
  const look = async () => {
    const { SecurityGroups: [group] = [] } = await ask((ec2, options) => ec2.describeSecurityGroups({ Filters }, options));
    if (group) assertOurs(context.scope, kind, name, group.Tags);
    return group;
  };
  const there = await look();
  if (there) return there;
  const TagSpecifications = tagSpecification('security-group', ownTags(context, kind, name, marks));
  const Description = `Provisioning: ${kind} ${name} of ${context.scope.infra}`;
  const made = await unless(
    ['InvalidGroup.Duplicate'],
    ask((ec2, options) => ec2.createSecurityGroup({ GroupName, Description, VpcId: vpc, TagSpecifications }, options)),
  );
  if (made?.GroupId) return { GroupId: made.GroupId, VpcId: vpc, IpPermissions: [] };
  // The name is taken, so the group exists. The next attempt will see it at the latest.
  return (await lookUntilBelieved(context, look)) ?? again(GroupName);
}

function again(name: string): never {
  throw createNotSettled('make the security group', name);
}

/** Returns the groups with these marks. */
export function groupsWith(ask: Ask, marks: Partial<Record<Mark, string | undefined>>): Promise<SecurityGroup[]> {
  const Filters = createMarkFilters(marks);
  return pages(
    ask,
    (ec2, options, NextToken) => ec2.describeSecurityGroups({ Filters, NextToken }, options),
    ({ SecurityGroups }) => SecurityGroups,
  );
}

/** Adds permissions to a group; existing ones stay. */
export async function letIn(ask: Ask, GroupId: string | undefined, permissions: IpPermission[]): Promise<void> {
  // One request each: AWS would reject all because of one that exists.
  for (const permission of permissions) {
    await unless(
      ['InvalidPermission.Duplicate'],
      ask((ec2, options) => ec2.authorizeSecurityGroupIngress({ GroupId, IpPermissions: [permission] }, options)),
    );
  }
}

export async function shutOut(ask: Ask, GroupId: string | undefined, permissions: IpPermission[]): Promise<void> {
  for (const permission of permissions) {
    await unless(
      ['InvalidPermission.NotFound'],
      ask((ec2, options) => ec2.revokeSecurityGroupIngress({ GroupId, IpPermissions: [permission] }, options)),
    );
  }
}

/** Deletes a group, and returns whether it is gone. It stays while a network interface in deletion uses it. */
export async function deleteGroup(ask: Ask, GroupId: string | undefined): Promise<boolean> {
  try {
    await ask((ec2, options) => ec2.deleteSecurityGroup({ GroupId }, options));
    return true;
  } catch (error) {
    if (vendorCode(error) === 'InvalidGroup.NotFound') return true;
    if (['DependencyViolation', 'InvalidGroup.InUse'].includes(vendorCode(error) ?? '')) return false;
    throw error;
  }
}
