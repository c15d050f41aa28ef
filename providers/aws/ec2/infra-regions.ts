import type { CallContext } from '../../../sdk/index.js';
import { unless } from '../errors.js';
import type { Account } from './account.js';
import type { Region } from './region.js';

/** Lifetime of an infra's cached regions, in milliseconds: another worker may use a further region. */
const KNOWN_MS = 5 * 60_000;

/** Maximum age of the cache before a resource is reported as gone, in milliseconds. */
const FRESH_MS = 20_000;

/** Codes from a region that the account may not use. */
const CLOSED = ['UnauthorizedOperation', 'OptInRequired', 'AuthFailure', 'AccessDenied'];

/** Regions of infras. AWS has no query over all regions, and the name of a server does not contain its region. */
export interface InfraRegions {
  /** Returns the account's region, and all regions with resources of the infra. */
  of(context: CallContext): Promise<Region[]>;
  /** Records that a resource of the infra will be created in a region. */
  note(context: CallContext, region: Region): void;
  /** Returns the regions to search before a resource is reported as gone. */
  search(context: CallContext): Promise<Region[]>;
}

export function infraRegions(account: Account): InfraRegions {
  const known = new Map<string, { at: number; names: Set<string> }>();

  const ask = async ({ scope, signal }: CallContext): Promise<Region[]> => {
    const purpose = { what: 'find the regions of the infra', on: scope.infra, signal };
    const names = new Set(known.get(scope.uuid)?.names);
    const home = await account.homeName();
    if (home) names.add(home);
    const answers = (await account.everywhere(purpose)).map(async (region) => {
      if (!names.has(region.name) && (await bears(region, scope.uuid, purpose))) names.add(region.name);
    });
    await Promise.all(answers);
    known.set(scope.uuid, { at: Date.now(), names });
    return [...names].sort().map(account.region);
  };

  const asOf = async (context: CallContext, maxAgeMs: number): Promise<Region[]> => {
    context.signal?.throwIfAborted();
    const there = known.get(context.scope.uuid);
    if (there && Date.now() - there.at < maxAgeMs) return [...there.names].sort().map(account.region);
    return ask(context);
  };

  return {
    of: (context) => asOf(context, KNOWN_MS),
    search: (context) => asOf(context, FRESH_MS),
    note: ({ scope }, region) => {
      known.get(scope.uuid)?.names.add(region.name);
    },
  };
}

async function bears(region: Region, uuid: string, purpose: Parameters<Region['for']>[0]): Promise<boolean> {
  const Filters = [
    { Name: 'key', Values: ['provisioning.uuid'] },
    { Name: 'value', Values: [uuid] },
  ];
  const answer = await unless(
    CLOSED,
    region.for(purpose)((ec2, options) => ec2.describeTags({ Filters }, options)),
  );
  return (answer?.Tags?.length ?? 0) > 0;
}
