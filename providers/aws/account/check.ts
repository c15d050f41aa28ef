import { type AccountReport, messageOf } from '../../../sdk/index.js';
import type { Account } from '../ec2/account.js';
import { instancesWith } from '../ec2/instances.js';
import type { Ask, Purpose } from '../ec2/region.js';
import { vendorCode } from '../errors.js';
import { PUBLISHERS } from '../images.js';
import { openPrices } from '../prices.js';

type Ability = AccountReport['abilities'][number];

const REFUSED = ['UnauthorizedOperation', 'AccessDenied', 'AccessDeniedException'];

/** Checks the account's permissions in its region, with `DryRun` requests that create nothing. */
export async function checkAccount(account: Account, purpose: Purpose): Promise<AccountReport> {
  const region = await account.home();
  const ask = region.for(purpose);
  const { SecurityGroups: [group] = [] } = await ask((ec2, options) => ec2.describeSecurityGroups({ MaxResults: 5 }, options));
  const dry = await Promise.all(dryRuns(ask, await someImage(ask)).map(([what, run]) => ability(what, run)));
  const prices = await openPrices(account);
  const priced = await ability('ask for prices', () => prices.probe(purpose));
  return {
    identity: `account ${group?.OwnerId ?? 'unknown'} in ${region.name}`,
    abilities: [...dry, priced],
    limits: await limitsOf(ask),
  };
}

function dryRuns(ask: Ask, ImageId: string | undefined): [what: string, run: () => Promise<unknown>][] {
  const DryRun = true;
  return [
    [
      'make servers',
      () =>
        ask((ec2, options) => ec2.runInstances({ DryRun, MinCount: 1, MaxCount: 1, ImageId, InstanceType: 't3.small' }, options)),
    ],
    ['make networks', () => ask((ec2, options) => ec2.createVpc({ DryRun, CidrBlock: '10.0.0.0/16' }, options))],
    ['make internet gateways', () => ask((ec2, options) => ec2.createInternetGateway({ DryRun }, options))],
    [
      'make firewalls',
      () => ask((ec2, options) => ec2.createSecurityGroup({ DryRun, GroupName: 'check', Description: 'check' }, options)),
    ],
    ['reserve addresses', () => ask((ec2, options) => ec2.allocateAddress({ DryRun, Domain: 'vpc' }, options))],
    [
      'make placement groups',
      () => ask((ec2, options) => ec2.createPlacementGroup({ DryRun, GroupName: 'check', Strategy: 'spread' }, options)),
    ],
  ];
}

/** Returns the ability; `allowed` is undefined if AWS fails for another reason than a permission. */
async function ability(what: string, run: () => Promise<unknown>): Promise<Ability> {
  try {
    await run();
    return { what, allowed: true };
  } catch (error) {
    const code = vendorCode(error) ?? '';
    if (code === 'DryRunOperation') return { what, allowed: true };
    const why = messageOf(error);
    return REFUSED.includes(code) ? { what, allowed: false, why } : { what, why };
  }
}

async function someImage(ask: Ask): Promise<string | undefined> {
  const debian = PUBLISHERS['debian-12'];
  const Filters = [{ Name: 'name', Values: [debian?.names.x86_64 ?? ''] }];
  const { Images = [] } = await ask((ec2, options) => ec2.describeImages({ Owners: [debian?.owner ?? ''], Filters }, options));
  return Images[0]?.ImageId;
}

/** Returns the limits that EC2 itself reports; those of cores and volumes are in Service Quotas. */
async function limitsOf(ask: Ask): Promise<AccountReport['limits']> {
  const [{ AccountAttributes = [] }, { Addresses = [] }, { Vpcs = [] }, instances] = await Promise.all([
    ask((ec2, options) => ec2.describeAccountAttributes({}, options)),
    ask((ec2, options) => ec2.describeAddresses({}, options)),
    ask((ec2, options) => ec2.describeVpcs({}, options)),
    instancesWith(ask, []),
  ]);
  const said = (name: string) => {
    const value = AccountAttributes.find(({ AttributeName }) => AttributeName === name)?.AttributeValues?.[0]?.AttributeValue;
    return value !== undefined && Number.isFinite(Number(value)) ? { limit: Number(value) } : {};
  };
  const cores = instances.reduce(
    (sum, { CpuOptions }) => sum + (CpuOptions?.CoreCount ?? 0) * (CpuOptions?.ThreadsPerCore ?? 1),
    0,
  );
  return [
    { what: 'servers', used: instances.length, ...said('max-instances') },
    ...(cores > 0 ? [{ what: 'vCPUs', used: cores }] : []),
    { what: 'reserved addresses', used: Addresses.length, ...said('vpc-max-elastic-ips') },
    { what: 'networks (VPCs)', used: Vpcs.length },
  ];
}
