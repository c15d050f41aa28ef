import { type ErrorDetails, ProvisioningError } from '../../../core/errors.js';
import type { Step } from '../../../core/host/step.js';
import type { Scope } from '../../../core/machine/call-context.js';
import { type GivenShare, isShare, listShares } from '../../../core/taskserv/groups/share.js';
import type { ActInput } from '../bring.js';
import type { GroupAt, PooledGroup } from '../pool-groups.js';
import { type KeptShare, spendShare } from './kept-shares.js';
import {
  chooseMaker,
  createShareSources,
  type GiverDependencies,
  type GiverTimes,
  listMakers,
  refuseShare,
  type ShareUse,
} from './make-share.js';

/** A share that steps need, and the server on which it is made. */
export interface NeededShare {
  name: string;
  title: string;
  on: string;
}

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
  return listNeeded(group, { server }, { unit, steps });
}

/**
 * The same for steps with which a member leaves its group.
 *
 * @param use the host of the steps, and the member that leaves
 * @throws inputError `share-not-made` for one that the group does not have
 */
export function findSharesToLeave(group: PooledGroup, use: Required<ShareUse>, steps: readonly Step[]): NeededShare[] {
  return listNeeded(group, use, { unit: group.asked.taskserv, steps });
}

function listNeeded(
  group: PooledGroup | undefined,
  use: ShareUse & { server: string },
  { unit, steps }: { unit: string; steps: readonly Step[] },
): NeededShare[] {
  const { server, leaving } = use;
  return listShares(steps).map((name) => {
    const shares = group?.rules.shares;
    const share = shares && Object.hasOwn(shares, name) ? shares[name] : undefined;
    if (!group || !share)
      return refuseShare({ what: 'plan the steps', on: `${server}/${unit}`, why: `its group has no share "${name}"` });
    const all = leaving === undefined ? group.context.members : group.all;
    const on = chooseMaker(share, all, use) ?? listMakers(all, use).find(({ state }) => state === 'expected');
    return { name, title: share.title, on: on?.server ?? server };
  });
}

/** Shares with their values, and how many of them were made for this. */
export interface GivenShares {
  values: Map<string, GivenShare>;
  made: number;
  /** Notes how the steps failed: the value of a step that failed is given to none any more. */
  spend(error: unknown): Promise<void>;
}

/**
 * Gets the values of the shares that steps refer to. One that is kept and lasts long enough is used again. Otherwise a
 * member that serves now makes another one. The value goes from that host to the store and to the host of the steps; it is
 * in no argument, log or answer of an activity. Work that has its values already gets no others.
 *
 * @throws inputError `share-not-made`; `share-expired` if steps before have begun
 */
export function createGiveShares(shared: GiverDependencies, times?: GiverTimes) {
  const { hostOf, ownAmong: _, ...dependencies } = shared;
  const sourceOf = createShareSources(shared, times);
  return async function giveShares(input: ActInput): Promise<GivenShares | undefined> {
    const names = listShares(input.steps);
    const host = hostOf(input);
    // Without a machine no script runs, and no step needs a value.
    if (names.length === 0 || !host.stream) return undefined;
    const { scope, server, taskserv, leaving, steps } = input;
    const wrong = input.secrets?.find(isShare);
    if (wrong !== undefined)
      refuseShare({ what: 'give the share', on: wrong, why: 'a definition cannot refer to a share of a group' });
    const use = { server, ...(leaving !== undefined && { leaving }) };
    const source = await sourceOf(scope, findAsked(input), use, taskserv);
    names.forEach(source.check);
    const positions = steps.flatMap((step, position) => (listShares(step).length > 0 ? [position] : []));
    const progress = await host.progress?.(input, positions);
    const values = new Map<string, KeptShare>();
    let made = 0;
    for (const name of names) {
      if (progress?.attached) {
        values.set(name, await source.used(name));
        continue;
      }
      const { isNew, ...given } = await source.get(name).catch((error: unknown) => {
        throw progress?.begun ? tellLate(error) : error;
      });
      values.set(name, given);
      if (isNew) made += 1;
    }
    return { ...{ values, made }, spend: (error) => spendFailed(error, { dependencies, scope, steps, values }) };
  };
}

/** The group of the steps. Work for a member that leaves is a unit with a name of its own, and of one group. */
const findAsked = ({ groups = [], taskserv, leaving }: ActInput): GroupAt | undefined =>
  leaving === undefined ? groups.find((one) => one.taskserv === taskserv) : groups[0];

interface UsedShares {
  dependencies: Parameters<typeof spendShare>[0];
  scope: Scope;
  steps: readonly Step[];
  values: ReadonlyMap<string, KeptShare>;
}

async function spendFailed(error: unknown, { dependencies, scope, steps, values }: UsedShares): Promise<void> {
  const { code, what } = (error as { details?: ErrorDetails[] }).details?.[0] ?? {};
  if (code !== 'step-failed') return;
  const used = listShares(steps.filter(({ title }) => title === what));
  for (const one of used) await spendShare(dependencies, scope, values.get(one) as KeptShare);
}

/** Steps have begun on the host, so that there is something to undo. */
function tellLate(error: unknown): unknown {
  if (!(error instanceof ProvisioningError) || error.details.code !== 'share-not-made') return error;
  return new ProvisioningError({ ...error.details, code: 'share-expired' });
}
