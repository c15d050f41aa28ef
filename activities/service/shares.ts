import { Context } from '@temporalio/activity';
import { fingerprint } from '../../core/encoding/hash.js';
import { type ErrorDetails, inputError, ProvisioningError } from '../../core/errors.js';
import type { Step } from '../../core/host/step.js';
import type { Member, Share } from '../../core/taskserv/group.js';
import { explainBadShare, formatSharePlace, type GivenShare, isShare, listShares } from '../../core/taskserv/share.js';
import type { HostOf } from '../host/host.js';
import type { ActInput } from './bring.js';
import { findKept, findUsed, type KeptShare, keepShare, type ShareDependencies, spendShare } from './kept-shares.js';
import type { OwnAmong } from './own-modules.js';
import { createPool, type GroupAt, knowGroups, type PooledGroup } from './pool-groups.js';
import { describeRecovery } from './quorum.js';

type AnyShare = Share<unknown, Record<string, unknown>>;

/** A share that steps need, and the server on which it is made. */
export interface NeededShare {
  name: string;
  title: string;
  on: string;
}

const refuse = (details: Omit<ErrorDetails, 'blame' | 'code'>): never => {
  throw inputError({ code: 'share-not-made', ...details });
};

/**
 * The shares that planned steps need, for previews: where each is made, as far as that is known. In a group that is to be
 * founded, the first member makes them.
 *
 * @throws inputError `share-not-made` for one that the group does not have
 */
export function findNeededShares(
  groups: readonly PooledGroup[],
  server: string,
  { unit, steps }: { unit: string; steps: readonly Step[] },
): NeededShare[] {
  const group = groups.find(({ asked }) => asked.taskserv === unit);
  return listShares(steps).map((name) => {
    const share = group?.rules.shares?.[name];
    if (!group || !share)
      return refuse({ what: 'plan the steps', on: `${server}/${unit}`, why: `its group has no share "${name}"` });
    const others = group.context.members.filter((one) => one.server !== server);
    const on = findMaker(share, others) ?? others.find(({ state }) => state === 'expected');
    return { name, title: share.title, on: on?.server ?? server };
  });
}

/** The member that makes a share: the leader, or else the first one that serves. */
function findMaker({ on }: Pick<AnyShare, 'on'>, members: readonly Member[]): Member | undefined {
  const serve = members.filter(({ standing }) => standing?.serves);
  return serve.find(({ standing }) => standing?.leads) ?? (on === 'leader' ? undefined : serve[0]);
}

/** Shares with their values, and how many of them were made for this. */
export interface GivenShares {
  values: Map<string, GivenShare>;
  made: number;
  /** Notes how the steps failed: the value of a step that failed is given to none any more. */
  spend(error: unknown): Promise<void>;
}

/**
 * Milliseconds in which a member may come to serve and to make a value, for example after an election; between two looks;
 * and of one script.
 */
const WITHIN_MS = 20_000;
const AGAIN_MS = 2_000;
const MAKE_MS = 60_000;

type GiverDependencies = ShareDependencies & { ownAmong: OwnAmong; hostOf: HostOf };

/** What is needed to get one share. */
interface Wanted {
  hostOf: HostOf;
  dependencies: ShareDependencies;
  input: ActInput;
  asked: GroupAt;
  name: string;
  share: AnyShare;
  place: string;
  look: () => Promise<PooledGroup | undefined>;
  againMs: number;
  withinMs: number;
}

/**
 * Gets the values of the shares that steps refer to. One that is kept and lasts long enough is used again. Otherwise a
 * member that serves now makes another one. The value goes from that host to the store and to the host of the steps; it is
 * in no argument, log or answer of an activity. Work that has its values already gets no others.
 *
 * @throws inputError `share-not-made`; `share-expired` if steps before have begun
 */
export function createGiveShares(
  { ownAmong, hostOf, ...dependencies }: GiverDependencies,
  {
    againMs = AGAIN_MS,
    withinMs = WITHIN_MS,
    ...times
  }: Parameters<typeof createPool>[1] & { againMs?: number; withinMs?: number } = {},
) {
  const pool = createPool(hostOf, times);
  return async function giveShares(input: ActInput): Promise<GivenShares | undefined> {
    const names = listShares(input.steps);
    const host = hostOf(input);
    // Without a machine no script runs, and no step needs a value.
    if (names.length === 0 || !host.stream) return undefined;
    const { scope, taskserv, groups = [], steps } = input;
    const wrong = input.secrets?.find(isShare);
    if (wrong !== undefined) refuse({ what: 'give the share', on: wrong, why: 'a definition cannot refer to a share of a group' });
    const asked = groups.find((one) => one.taskserv === taskserv);
    const [known] = asked ? knowGroups(await ownAmong(scope.workspace, [asked]), [asked]) : [];
    const positions = steps.flatMap((step, position) => (listShares(step).length > 0 ? [position] : []));
    const progress = await host.progress?.(input, positions);
    const values = new Map<string, KeptShare>();
    let made = 0;
    for (const name of names) {
      const share = known?.group.shares?.[name] as AnyShare | undefined;
      if (!share || !known || !asked)
        return refuse({ what: 'give the share', on: taskserv, why: `its group has no share "${name}"` });
      const place = formatSharePlace(taskserv, asked.name, name);
      if (progress?.attached) {
        values.set(name, await findUsed(dependencies, scope, place));
        continue;
      }
      const look = async () => (await pool(scope, [known], '')([]))[0];
      const wanted: Wanted = { hostOf, dependencies, input, asked, name, share, place, look, againMs, withinMs };
      const given = await getShare(wanted).catch((error: unknown) => {
        throw progress?.begun ? tellLate(error) : error;
      });
      values.set(name, given);
      if (given.isNew) made += 1;
    }
    return {
      ...{ values, made },
      async spend(error) {
        const { code, what } = (error as { details?: ErrorDetails[] }).details?.[0] ?? {};
        if (code !== 'step-failed') return;
        const used = listShares(steps.filter(({ title }) => title === what));
        for (const one of used) await spendShare(dependencies, scope, values.get(one) as KeptShare);
      },
    };
  };
}

/** Steps have begun on the host, so that there is something to undo. */
function tellLate(error: unknown): unknown {
  if (!(error instanceof ProvisioningError) || error.details.code !== 'share-not-made') return error;
  return new ProvisioningError({ ...error.details, code: 'share-expired' });
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
  const { dependencies, input, asked, name, share, place, look, againMs, withinMs } = wanted;
  const until = Date.now() + withinMs;
  let identity: string | undefined;
  for (;;) {
    const group = await look();
    const at = findMaker(share, group?.all.filter((one) => one.server !== input.server) ?? []);
    identity = at ? identify(at.standing?.group ?? '') : (findIdentity(group) ?? identity);
    const kept = identity === undefined ? undefined : await findKept(dependencies, input, { place, share, identity });
    if (kept) return kept;
    const isLast = Date.now() + againMs > until;
    if (at) {
      const made = await makeShare(wanted, at, group).catch((error: unknown) => {
        if (isLast || !(error instanceof ScriptFailed)) throw error;
        return undefined;
      });
      if (made) return { ...made, isNew: true };
    } else if (isLast) return refuse({ ...explainMissing(share, name, asked, group), on: input.server });
    await Context.current().sleep(againMs);
  }
}

function explainMissing(
  { title, on }: AnyShare,
  name: string,
  { name: group, taskserv }: { name: string; taskserv: string },
  seen?: PooledGroup,
) {
  const serve = seen?.all.filter(({ standing }) => standing?.serves) ?? [];
  return {
    what: `give the share "${name}" (${title})`,
    why: `no ${on === 'leader' && serve.length > 0 ? 'leader' : 'other member'} of the ${taskserv} group "${group}" can make it now`,
    ...(seen && { hint: describeRecovery(seen, serve) }),
  };
}

/** The script of a member failed: it may work there, or on another member, a moment later. */
class ScriptFailed extends ProvisioningError {}

async function makeShare(
  { hostOf, dependencies, input, name, share, place }: Wanted,
  at: Member,
  group: PooledGroup | undefined,
): Promise<KeptShare> {
  const { scope, taskserv } = input;
  const asked = group?.asked.members.find(({ server }) => server === at.server);
  const what = `make the share "${name}" of ${taskserv}`;
  const host = asked?.at && hostOf({ ...asked.at, scope });
  if (!group || !host?.stream) return refuse({ what, on: at.server, why: 'the platform cannot run a script there' });
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
  if (bad !== undefined) return refuse({ what, on: at.server, why: bad });
  const seconds = Math.floor(from / 1_000) + share.lifetimeSeconds;
  return keepShare(dependencies, input, { place, identity: identify(at.standing?.group ?? ''), seconds, value });
}
