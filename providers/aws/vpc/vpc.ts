import type { InternetGateway, Vpc } from '@aws-sdk/client-ec2';
import type { CallContext } from '../../../sdk/index.js';
import { pages } from '../ec2/account.js';
import type { Ask } from '../ec2/region.js';
import { ensureSingle } from '../ec2/single.js';
import { assertOurs, createMarkFilters, ownTags, tagSpecification } from '../ec2/tags.js';
import { createNotSettled, lookUntilBelieved } from '../ec2/waits.js';
import { unless } from '../errors.js';
import { deleteSubnet, listSubnets } from './subnets.js';

export type MakeContext = CallContext & { key: string; pollMs: number };

/** Lists the VPCs of our networks; without a UUID, also those of other infras with the name. */
export function listVpcs(ask: Ask, { scope }: CallContext, name: string | undefined, whose: 'ours' | 'anyone'): Promise<Vpc[]> {
  const { workspace, infra, uuid } = scope;
  const Filters = createMarkFilters({ workspace, infra, uuid: whose === 'ours' ? uuid : undefined, kind: 'network', name });
  return pages(
    ask,
    (ec2, options, NextToken) => ec2.describeVpcs({ Filters, NextToken }, options),
    ({ Vpcs }) => Vpcs,
  );
}

/** Finds or creates the VPC of a network with its route to the internet, piece by piece. */
export async function ensureVpc(
  ask: Ask,
  name: string,
  range: string,
  context: MakeContext,
): Promise<{ id: string; range: string }> {
  const { pollMs, signal } = context;
  const TagSpecifications = tagSpecification('vpc', ownTags(context, 'network', name));
  const vpc = await ensureSingle<Vpc>({
    pollMs,
    signal,
    find: async () => {
      const found = await listVpcs(ask, context, name, 'anyone');
      for (const { Tags } of found) assertOurs(context.scope, 'network', name, Tags);
      return found;
    },
    make: async () => {
      const { Vpc } = await ask((ec2, options) => ec2.createVpc({ CidrBlock: range, TagSpecifications }, options));
      return Vpc ?? {};
    },
    id: ({ VpcId = '' }) => VpcId,
    isUsed: () => false,
    remove: ({ VpcId = '' }) => unless(['DependencyViolation', 'InvalidVpcID.NotFound'], deleteVpc(ask, VpcId)),
  });
  const { VpcId: id = '', CidrBlock = range } = vpc;
  await ensureWayOut(ask, id, name, context);
  return { id, range: CidrBlock };
}

/** Ensures a gateway, with a route to it in the default table of the VPC's subnets. */
async function ensureWayOut(ask: Ask, VpcId: string, name: string, context: MakeContext): Promise<void> {
  const TagSpecifications = tagSpecification('internet-gateway', ownTags(context, 'network', name));
  const { workspace, infra, uuid } = context.scope;
  const own = createMarkFilters({ workspace, infra, uuid, kind: 'network', name });
  const isUsed = ({ Attachments = [] }: InternetGateway) => Attachments.length > 0;
  const gateway = await ensureSingle<InternetGateway>({
    pollMs: context.pollMs,
    signal: context.signal,
    find: () =>
      pages(
        ask,
        (ec2, options, NextToken) => ec2.describeInternetGateways({ Filters: own, NextToken }, options),
        ({ InternetGateways }) => InternetGateways,
      ),
    make: async () => {
      const made = await ask((ec2, options) => ec2.createInternetGateway({ TagSpecifications }, options));
      return made.InternetGateway ?? {};
    },
    id: ({ InternetGatewayId = '' }) => InternetGatewayId,
    isUsed,
    remove: ({ InternetGatewayId }) => ask((ec2, options) => ec2.deleteInternetGateway({ InternetGatewayId }, options)),
  });
  const { InternetGatewayId } = gateway;
  if (!isUsed(gateway)) {
    await unless(
      ['Resource.AlreadyAssociated'],
      ask((ec2, options) => ec2.attachInternetGateway({ InternetGatewayId, VpcId }, options)),
    );
  }
  const Filters = [vpcFilter(VpcId), { Name: 'association.main', Values: ['true'] }];
  const look = async () => (await ask((ec2, options) => ec2.describeRouteTables({ Filters }, options))).RouteTables?.[0];
  // The table is created with the VPC, and may become visible later.
  const table = await lookUntilBelieved(context, look);
  if (!table) throw createNotSettled('find the route table', VpcId);
  const DestinationCidrBlock = '0.0.0.0/0';
  if (table.Routes?.some((route) => route.DestinationCidrBlock === DestinationCidrBlock && route.State === 'active')) return;
  const route = { RouteTableId: table.RouteTableId, DestinationCidrBlock, GatewayId: InternetGatewayId };
  await unless(
    ['RouteAlreadyExists'],
    ask((ec2, options) => ec2.createRoute(route, options)),
  );
}

const vpcFilter = (id: string) => ({ Name: 'vpc-id', Values: [id] });

/**
 * Deletes one of our VPCs with subnets and gateway. Missing resources are ignored. Fails with `network-in-use` while
 * anything else is in it.
 */
export async function deleteNetworkVpc(ask: Ask, VpcId: string): Promise<void> {
  for (const { SubnetId } of await listSubnets(ask, VpcId)) await deleteSubnet(ask, SubnetId);
  const Filters = [{ Name: 'attachment.vpc-id', Values: [VpcId] }];
  const { InternetGateways = [] } = await ask((ec2, options) => ec2.describeInternetGateways({ Filters }, options));
  for (const { InternetGatewayId } of InternetGateways) {
    await unless(
      ['Gateway.NotAttached', 'InvalidInternetGatewayID.NotFound'],
      ask((ec2, options) => ec2.detachInternetGateway({ InternetGatewayId, VpcId }, options)),
    );
    await deleteGateway(ask, InternetGatewayId);
  }
  await unless(['InvalidVpcID.NotFound'], deleteVpc(ask, VpcId));
}

export const deleteGateway = (ask: Ask, InternetGatewayId: string | undefined) =>
  unless(
    ['InvalidInternetGatewayID.NotFound'],
    ask((ec2, options) => ec2.deleteInternetGateway({ InternetGatewayId }, options)),
  );

const deleteVpc = (ask: Ask, VpcId: string) => ask((ec2, options) => ec2.deleteVpc({ VpcId }, options));
