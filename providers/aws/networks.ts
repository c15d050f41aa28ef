import {
  type CallContext,
  type CreateContext,
  type Diff,
  type FoundNetwork,
  inputError,
  type ProviderConnection,
  unreachableError,
  type WantedNetwork,
} from '../../sdk/index.js';
import type { Account } from './ec2/account.js';
import { deleteGroup, ensureGroup, groupsWith, letIn } from './ec2/groups.js';
import type { InfraRegions } from './ec2/infra-regions.js';
import type { Ask, Region } from './ec2/region.js';
import { turns } from './ec2/single.js';
import { createMarkFilters } from './ec2/tags.js';
import { describeFoundNetwork, findNetwork, type Network, networksIn } from './vpc/find-network.js';
import { rangeFor, subnetRanges } from './vpc/ranges.js';
import { ensureSubnet } from './vpc/subnets.js';
import { deleteGateway, deleteNetworkVpc, ensureVpc, listVpcs } from './vpc/vpc.js';

/** Creates the verbs for an infra's networks: a VPC with subnet, gateway and route, or an existing one. */
export function networkVerbs(account: Account, regions: InfraRegions): ProviderConnection['networks'] {
  const inTurn = turns();

  const find = async (name: string, context: CallContext): Promise<Network | undefined> => {
    for (const region of await regions.of(context)) {
      const found = await findNetwork(region.for({ what: 'read the network', on: name, signal: context.signal }), name, context);
      if (found) return found;
    }
    return undefined;
  };
  const read = async (name: string, context: CallContext) => {
    const found = await find(name, context);
    return found && describeFoundNetwork(found);
  };

  return {
    read,
    diff: diffNetwork,

    async list(context) {
      const purpose = { what: 'list the networks', on: context.scope.infra, signal: context.signal };
      const found = await Promise.all((await regions.of(context)).map((region) => networksIn(region.for(purpose), context)));
      return found
        .flat()
        .map(describeFoundNetwork)
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    create: (wanted, context) =>
      inTurn(`${context.scope.uuid}/${wanted.name}`, async () => {
        context.signal?.throwIfAborted();
        const there = await find(wanted.name, context);
        if (there) return describeFoundNetwork(there);
        const purpose = { what: 'create the network', on: wanted.name, signal: context.signal };
        const place = await account.place(wanted.zone, purpose);
        regions.note(context, place.in);
        return describeFoundNetwork(
          await make(place.in.for(purpose), wanted, place.availabilityZone, { ...context, pollMs: account.pollMs }),
        );
      }),

    ready: async (name, context) => (await read(name, context)) ?? gone(name),
    update: async ({ name }, context) => (await read(name, context)) ?? gone(name),

    async delete(name, context) {
      const purpose = { what: 'delete the network', on: name, signal: context.signal };
      for (const region of await regions.search(context)) await remove(region, name, context, purpose);
    },
  };
}

async function make(
  ask: Ask,
  wanted: WantedNetwork,
  availabilityZone: string | undefined,
  context: CreateContext & { pollMs: number },
): Promise<Network> {
  const { name, existing } = wanted;
  const { vpc, range } = existing ? await lookUp(ask, existing) : await makeOwn(ask, wanted, availabilityZone, context);
  const marks = { range, ...(existing ? { existing } : {}) };
  const { GroupId = '' } = await ensureGroup(ask, { kind: 'network', name, vpc, marks }, context);
  await letIn(ask, GroupId, [
    { IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp: '0.0.0.0/0' }] },
    { IpProtocol: '-1', UserIdGroupPairs: [{ GroupId }] },
  ]);
  return { name, id: existing ?? vpc, vpc, group: GroupId, range, ...(existing ? { existing } : {}) };
}

async function makeOwn(
  ask: Ask,
  { name, range = '' }: WantedNetwork,
  availabilityZone: string | undefined,
  context: CreateContext & { pollMs: number },
) {
  const wanted = range || rangeFor(context.scope.uuid, name);
  // Refuse an invalid range before anything is created.
  subnetRanges(wanted);
  const vpc = await ensureVpc(ask, name, wanted, context);
  await ensureSubnet(ask, { network: name, vpc: vpc.id, range: vpc.range, availabilityZone }, context);
  return { vpc: vpc.id, range: vpc.range };
}

/** Looks up an existing VPC or subnet of the account. */
async function lookUp(ask: Ask, id: string): Promise<{ vpc: string; range: string }> {
  if (id.startsWith('subnet-')) {
    const { Subnets: [subnet] = [] } = await ask((ec2, options) => ec2.describeSubnets({ SubnetIds: [id] }, options));
    if (subnet?.VpcId) return { vpc: subnet.VpcId, range: subnet.CidrBlock ?? '' };
  }
  if (id.startsWith('vpc-')) {
    const { Vpcs: [vpc] = [] } = await ask((ec2, options) => ec2.describeVpcs({ VpcIds: [id] }, options));
    if (vpc?.VpcId) return { vpc: vpc.VpcId, range: vpc.CidrBlock ?? '' };
  }
  throw inputError({
    code: 'network-missing',
    what: 'use the network',
    on: id,
    why: 'it is not a VPC or subnet of this account and region',
    hint: 'write an id such as vpc-0a1b2c3d or subnet-0a1b2c3d',
  });
}

/** Compares networks, of which nothing can change in place. */
function diffNetwork(wanted: WantedNetwork, found: FoundNetwork): Diff {
  const changes = [
    ...(wanted.range && !wanted.existing && wanted.range !== found.range
      ? [`range "${found.range}" becomes "${wanted.range}"`]
      : []),
    ...(wanted.existing && wanted.existing !== found.id ? [`"${found.id}" becomes "${wanted.existing}"`] : []),
  ];
  return changes.length > 0 ? { action: 'replace', changes } : { action: 'noop' };
}

async function remove(region: Region, name: string, context: CallContext, purpose: Parameters<Region['for']>[0]): Promise<void> {
  const ask = region.for(purpose);
  const { workspace, infra, uuid } = context.scope;
  const marks = { workspace, infra, uuid, kind: 'network', name };
  const groups = await groupsWith(ask, marks);
  const vpcs = await listVpcs(ask, context, name, 'ours');
  for (const { GroupId = '' } of groups) await refuseWhileUsed(ask, GroupId, name);
  for (const { GroupId } of groups) if (!(await deleteGroup(ask, GroupId))) throw inUse(name, 'something in it goes yet');
  for (const { VpcId = '' } of vpcs) await deleteNetworkVpc(ask, VpcId);
  // A gateway that an interrupted attempt created but did not attach.
  const { InternetGateways = [] } = await ask((ec2, options) =>
    ec2.describeInternetGateways({ Filters: createMarkFilters(marks) }, options),
  );
  for (const { InternetGatewayId } of InternetGateways) await deleteGateway(ask, InternetGatewayId);
}

async function refuseWhileUsed(ask: Ask, group: string, name: string): Promise<void> {
  const Filters = [{ Name: 'group-id', Values: [group] }];
  const { NetworkInterfaces: [used] = [] } = await ask((ec2, options) => ec2.describeNetworkInterfaces({ Filters }, options));
  if (used) throw inUse(name, `${used.Attachment?.InstanceId ?? used.NetworkInterfaceId} is in it`);
}

const inUse = (name: string, why: string) =>
  unreachableError({ code: 'network-in-use', what: 'delete the network', on: name, why });

function gone(name: string): never {
  throw inputError({ code: 'network-gone', what: 'use the network', on: name, why: 'AWS no longer has it' });
}
