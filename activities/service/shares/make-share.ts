import { Context } from '@temporalio/activity';
import { fingerprint } from '../../../core/encoding/hash.js';
import { type ErrorDetails, inputError, ProvisioningError } from '../../../core/errors.js';
import type { Scope } from '../../../core/machine/call-context.js';
import type { Member, Share } from '../../../core/taskserv/groups/group.js';
import { explainBadShare, formatSharePlace } from '../../../core/taskserv/groups/share.js';
import type { HostOf } from '../../host/host.js';
import type { OwnAmong } from '../own-modules.js';
import { createPool, type GroupAt, knowGroups, type PooledGroup } from '../pool-groups.js';
import { describeRecovery } from '../quorum.js';
import { findKept, findUsed, type KeptShare, keepShare, type ShareDependencies } from './kept-shares.js';

type AnyShare = Share<unknown, Record<string, unknown>>;

/** For whom a share is. */
export interface ShareUse {
  /** The host whose steps use it. Absent: a person. */
  server?: string;
  /** The steps take this member out of the group: only it may not make their shares, as long as another one can. */
  leaving?: string;
}

export const refuseShare = (details: Omit<ErrorDetails, 'blame' | 'code'>): never => {
  throw inputError({ code: 'share-not-made', ...details });
};

/** The members that may make a share. A member that joins makes none for itself. */
export const listMakers = (all: readonly Member[], { server, leaving }: ShareUse): Member[] =>
  all.filter((one) => one.server !== (leaving ?? server));

/** The member that makes a share: the leader, or else the first one that serves. */
function findMaker({ on }: Pick<AnyShare, 'on'>, members: readonly Member[]): Member | undefined {
  const serve = members.filter(({ standing }) => standing?.serves);
  return serve.find(({ standing }) => standing?.leads) ?? (on === 'leader' ? undefined : serve[0]);
}

/** The same among all members: one that leaves makes it only if it is the leader that a share needs. */
export const chooseMaker = (share: Pick<AnyShare, 'on'>, all: readonly Member[], use: ShareUse): Member | undefined =>
  findMaker(share, listMakers(all, use)) ?? (use.leaving === undefined ? undefined : findMaker(share, all));

/**
 * Milliseconds in which a member may come to serve and to make a value, for example after an election; between two looks;
 * and of one script.
 */
const WITHIN_MS = 20_000;
const AGAIN_MS = 2_000;
const MAKE_MS = 60_000;

export type GiverDependencies = ShareDependencies & { ownAmong: OwnAmong; hostOf: HostOf };

/** How long things may take, in milliseconds, so that tests need not wait. */
export type GiverTimes = Parameters<typeof createPool>[1] & { againMs?: number; withinMs?: number };

/** What is needed to get one share. */
interface Wanted {
  hostOf: HostOf;
  dependencies: ShareDependencies;
  scope: Scope;
  use: ShareUse;
  asked: GroupAt;
  name: string;
  share: AnyShare;
  place: string;
  look: () => Promise<PooledGroup | undefined>;
  againMs: number;
  withinMs: number;
}

/** Gets the values of the shares of one group. */
interface ShareSource {
  /** @throws inputError `share-not-made` if the group has no such share */
  check(name: string): void;
  /** A kept value that lasts long enough, or one that a member makes now. @throws inputError `share-not-made` */
  get(name: string): Promise<KeptShare & { isNew?: true }>;
  /** The value with which work goes on that has begun with it. */
  used(name: string): Promise<KeptShare>;
}

/**
 * The shares of groups, by a look at their members. The value goes from the member to the store of secrets; it is in no
 * argument, log or error.
 */
export function createShareSources(
  { ownAmong, hostOf, ...dependencies }: GiverDependencies,
  { againMs = AGAIN_MS, withinMs = WITHIN_MS, ...times }: GiverTimes = {},
) {
  const pool = createPool(hostOf, times);
  /** @param on the subject of the error if the group has no such share */
  return async (scope: Scope, asked: GroupAt | undefined, use: ShareUse, on: string): Promise<ShareSource> => {
    const [known] = asked ? knowGroups(await ownAmong(scope.workspace, [asked]), [asked]) : [];
    const find = (name: string) => {
      const shares = known?.group.shares;
      const share = shares && Object.hasOwn(shares, name) ? (shares[name] as AnyShare) : undefined;
      if (!share || !known || !asked) return refuseShare({ what: 'give the share', on, why: `its group has no share "${name}"` });
      return { known, asked, share, place: formatSharePlace(asked.taskserv, asked.name, name) };
    };
    return {
      check: (name) => void find(name),
      async get(name) {
        const { known: group, ...found } = find(name);
        const look = async () => (await pool(scope, [group], '')([]))[0];
        return getShare({ ...{ hostOf, dependencies, scope, use, name, look, againMs, withinMs }, ...found });
      },
      used: async (name) => findUsed(dependencies, scope, find(name).place),
    };
  };
}

const identify = (group: string): string => fingerprint(group);

/** The identity that members say who do not serve now: only if it is one. */
function findIdentity(group: PooledGroup | undefined): string | undefined {
  const said = new Set(group?.all.flatMap(({ standing }) => standing?.group ?? []));
  const [only] = said;
  return said.size === 1 && only !== undefined ? identify(only) : undefined;
}

/**
 * Looks until there is a value: a kept one of the group's data, or one that a member makes. Who leads may change between
 * the look and the script.
 */
async function getShare(wanted: Wanted): Promise<KeptShare & { isNew?: true }> {
  const { dependencies, scope, use, asked, share, place, look, againMs, withinMs } = wanted;
  const until = Date.now() + withinMs;
  let identity: string | undefined;
  for (;;) {
    const group = await look();
    const at = chooseMaker(share, group?.all ?? [], use);
    identity = at ? identify(at.standing?.group ?? '') : (findIdentity(group) ?? identity);
    const receiver = { scope, server: use.server };
    const kept = identity === undefined ? undefined : await findKept(dependencies, receiver, { place, share, identity });
    if (kept) return kept;
    const isLast = Date.now() + againMs > until;
    if (at) {
      const made = await makeShare(wanted, at, group).catch((error: unknown) => {
        if (isLast || !(error instanceof ScriptFailed)) throw error;
        return undefined;
      });
      if (made) return { ...made, isNew: true };
    } else if (isLast) return refuseShare({ ...explainMissing(wanted, group), on: use.server ?? asked.name });
    await Context.current().sleep(againMs);
  }
}

function explainMissing({ share: { title, on }, name, asked, use }: Wanted, seen?: PooledGroup) {
  const serve = seen?.all.filter(({ standing }) => standing?.serves) ?? [];
  const other = use.server === undefined || use.leaving !== undefined ? 'member' : 'other member';
  return {
    what: `give the share "${name}" (${title})`,
    why: `no ${on === 'leader' && serve.length > 0 ? 'leader' : other} of the ${asked.taskserv} group "${asked.name}" can make it now`,
    ...(seen && { hint: describeRecovery(seen, serve) }),
  };
}

/** The script of a member failed: it may work there, or on another member, a moment later. */
class ScriptFailed extends ProvisioningError {}

async function makeShare(
  { hostOf, dependencies, scope, use, asked: { taskserv }, name, share, place }: Wanted,
  at: Member,
  group: PooledGroup | undefined,
): Promise<KeptShare> {
  const asked = group?.asked.members.find(({ server }) => server === at.server);
  const what = `make the share "${name}" of ${taskserv}`;
  const host = asked?.at && hostOf({ ...asked.at, scope });
  if (!group || !host?.stream) return refuseShare({ what, on: at.server, why: 'the platform cannot run a script there' });
  const from = Date.now();
  const script = share.make(asked?.config, at, group.context);
  const value = await host.stream(script, { limitMs: MAKE_MS }).catch((error: { details?: { code?: string } }) => {
    if (error.details?.code !== 'data-not-moved') throw error;
    // Its messages may have the value in them.
    const why = 'its script failed; what it printed is not shown, since that may have the value in it';
    const details = { code: 'share-not-made', what, on: at.server, why, hint: `provisioning server ssh ${at.server}` };
    throw new ScriptFailed({ ...details, blame: 'user' });
  });
  const bad = explainBadShare(value, share.form);
  if (bad !== undefined) return refuseShare({ what, on: at.server, why: bad });
  const seconds = Math.floor(from / 1_000) + share.lifetimeSeconds;
  const identity = identify(at.standing?.group ?? '');
  return keepShare(dependencies, { scope, server: use.server }, { place, identity, seconds, value });
}
