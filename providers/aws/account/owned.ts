import type { Tag } from '@aws-sdk/client-ec2';
import type { OwnedThing } from '../../../sdk/index.js';
import { type Account, pages } from '../ec2/account.js';
import { groupsWith } from '../ec2/groups.js';
import { instancesWith } from '../ec2/instances.js';
import type { Ask, Region } from '../ec2/region.js';
import { createMarkFilters, mark, scopeOf } from '../ec2/tags.js';

interface Row {
  id: string | undefined;
  tags: readonly Tag[] | undefined;
  since?: Date | undefined;
}

/** Lists everything with the tags of a workspace and a set-up, in all regions of the account. */
export async function listOwned(
  account: Account,
  { workspace, setup, signal }: { workspace: string; setup: string; signal?: AbortSignal },
): Promise<OwnedThing[]> {
  const purpose = { what: 'list our resources', on: `workspace ${workspace}`, signal };
  const inRegion = async (region: Region) => rowsIn(region.for(purpose), { workspace, setup });
  const rows = (await Promise.all((await account.everywhere(purpose)).map(inRegion))).flat();
  const seen = new Set<string>();
  // A network is a VPC, a gateway, a subnet and a group of the same name: the VPC comes first.
  return rows.flatMap((row) => {
    const one = ownedOf(row);
    const key = one && `${one.kind}/${one.scope.uuid}/${one.name}`;
    if (!one || !key || (one.kind === 'network' && seen.has(key))) return [];
    seen.add(key);
    return [one];
  });
}

async function rowsIn(ask: Ask, marks: { workspace: string; setup: string }): Promise<Row[]> {
  const Filters = createMarkFilters(marks);
  const instances = await instancesWith(ask, Filters);
  const vpcs = await pages(
    ask,
    (ec2, options, NextToken) => ec2.describeVpcs({ Filters, NextToken }, options),
    ({ Vpcs }) => Vpcs,
  );
  const gateways = await pages(
    ask,
    (ec2, options, NextToken) => ec2.describeInternetGateways({ Filters, NextToken }, options),
    ({ InternetGateways }) => InternetGateways,
  );
  const groups = await groupsWith(ask, marks);
  const volumes = await pages(
    ask,
    (ec2, options, NextToken) => ec2.describeVolumes({ Filters, NextToken }, options),
    ({ Volumes }) => Volumes,
  );
  const addresses = await ask((ec2, options) => ec2.describeAddresses({ Filters }, options));
  const placements = await ask((ec2, options) => ec2.describePlacementGroups({ Filters }, options));
  return [
    ...instances.map(({ InstanceId: id, Tags: tags, LaunchTime: since }) => ({ id, tags, since })),
    ...vpcs.map(({ VpcId: id, Tags: tags }) => ({ id, tags })),
    ...gateways.map(({ InternetGatewayId: id, Tags: tags }) => ({ id, tags })),
    ...groups.map(({ GroupId: id, Tags: tags }) => ({ id, tags })),
    ...volumes
      .filter(({ State }) => State !== 'deleting' && State !== 'deleted')
      .map(({ VolumeId: id, Tags: tags, CreateTime: since }) => ({ id, tags, since })),
    ...(addresses.Addresses ?? []).map(({ AllocationId: id, Tags: tags }) => ({ id, tags })),
    ...(placements.PlacementGroups ?? []).map(({ GroupId: id, Tags: tags }) => ({ id, tags })),
  ];
}

function ownedOf({ id = '', tags, since }: Row): OwnedThing | undefined {
  const [scope, kind, name, key] = [scopeOf(tags), mark(tags, 'kind'), mark(tags, 'name'), mark(tags, 'key')];
  if (!scope || !kind || !name || kind === 'disk') return undefined;
  return {
    kind: kind as OwnedThing['kind'],
    name,
    id,
    scope,
    ...(since ? { since: since.toISOString() } : {}),
    ...(key ? { key } : {}),
  };
}
