import type { Subnet } from '@aws-sdk/client-ec2';
import { type CallContext, inputError } from '../../../sdk/index.js';
import { pages } from '../ec2/account.js';
import type { Ask } from '../ec2/region.js';
import { ownTags, tagSpecification } from '../ec2/tags.js';
import { unless, vendorCode } from '../errors.js';
import { subnetRanges } from './ranges.js';

/** Number of attempts while another zone takes the same part of the range. */
const TRIES = 6;

export interface WantedSubnet {
  network: string;
  vpc: string;
  range: string;
  /** Zone of the subnet. Default: the zone of an existing subnet, or the region's first zone. */
  availabilityZone?: string | undefined;
}

/**
 * Finds or creates a network's subnet in a zone. AWS rejects overlapping subnets in a VPC, so that it is never created
 * twice.
 */
export async function ensureSubnet(ask: Ask, wanted: WantedSubnet, context: CallContext & { key: string }): Promise<Subnet> {
  const ranges = subnetRanges(wanted.range);
  for (let tries = 0; tries < TRIES; tries++) {
    const there = await listSubnets(ask, wanted.vpc);
    const own = there.find(({ AvailabilityZone }) => !wanted.availabilityZone || AvailabilityZone === wanted.availabilityZone);
    if (own) return own;
    const CidrBlock = ranges.find((range) => !there.some((subnet) => subnet.CidrBlock === range));
    if (!CidrBlock) throw full(wanted, there);
    const AvailabilityZone = wanted.availabilityZone ?? (await firstZone(ask));
    const TagSpecifications = tagSpecification('subnet', ownTags(context, 'network', wanted.network));
    const made = await unless(
      ['InvalidSubnet.Conflict'],
      ask((ec2, options) => ec2.createSubnet({ VpcId: wanted.vpc, CidrBlock, AvailabilityZone, TagSpecifications }, options)),
    );
    if (made?.Subnet) return made.Subnet;
  }
  throw full(wanted, []);
}

/** Lists the subnets of a VPC, by zone and id. */
export async function listSubnets(ask: Ask, vpc: string): Promise<Subnet[]> {
  const Filters = [{ Name: 'vpc-id', Values: [vpc] }];
  const found = await pages(
    ask,
    (ec2, options, NextToken) => ec2.describeSubnets({ Filters, NextToken }, options),
    ({ Subnets }) => Subnets,
  );
  const order = ({ AvailabilityZone, SubnetId }: Subnet) => `${AvailabilityZone} ${SubnetId}`;
  return found.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

async function firstZone(ask: Ask): Promise<string | undefined> {
  const Filters = [
    { Name: 'state', Values: ['available'] },
    { Name: 'zone-type', Values: ['availability-zone'] },
  ];
  const { AvailabilityZones = [] } = await ask((ec2, options) => ec2.describeAvailabilityZones({ Filters }, options));
  return AvailabilityZones.flatMap(({ ZoneName }) => ZoneName ?? []).sort()[0];
}

function full({ network, range, availabilityZone }: WantedSubnet, there: Subnet[]) {
  const zones = there.map(({ AvailabilityZone }) => AvailabilityZone).join(', ');
  return inputError({
    code: 'network-range',
    what: 'make a subnet',
    on: network,
    why: `its range ${range} has no part left for ${availabilityZone ?? 'another zone'}; its subnets are in ${zones || 'other zones'}`,
    hint: 'give the network a larger range, or move the server to one of its zones',
  });
}

/** Deletes a subnet. A missing subnet is ignored. */
export async function deleteSubnet(ask: Ask, SubnetId: string | undefined): Promise<void> {
  try {
    await ask((ec2, options) => ec2.deleteSubnet({ SubnetId }, options));
  } catch (error) {
    if (vendorCode(error) !== 'InvalidSubnetID.NotFound') throw error;
  }
}
