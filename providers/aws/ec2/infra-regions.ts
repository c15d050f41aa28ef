import type { CallContext } from '../../../sdk/index.js';
import { unless } from '../errors.js';
import type { Account } from './account.js';
import type { Region } from './region.js';

/** How long it is believed where an infra lies, in milliseconds: another worker may go to a further region. */
const KNOWN_MS = 5 * 60_000;

/** As long counts as just now, before something is said to be gone for good. */
const FRESH_MS = 20_000;

/** What a region answers that the account may not use. */
const CLOSED = ['UnauthorizedOperation', 'OptInRequired', 'AuthFailure', 'AccessDenied'];

/** Where infras have something. AWS has no question about all regions at once, and a server is asked for by its name alone. */
export interface InfraRegions {
  /** The account's region, and all in which something bears the infra's UUID. */
  of(context: CallContext): Promise<Region[]>;
  /** Something of the infra is about to be made there. */
  note(context: CallContext, region: Region): void;
  /** Those to be searched before something is said to be gone for good. */
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
