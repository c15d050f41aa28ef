import type { Scope } from '../../../core/machine/call-context.js';
import type { GroupShareAnswer } from '../../../core/taskserv/groups/group-share.js';
import type { GroupAt } from '../pool-groups.js';
import { createShareSources, type GiverDependencies, type GiverTimes } from './make-share.js';

/** A share of a group that a person asks for. */
export interface GroupShareInput {
  scope: Scope;
  group: GroupAt;
  /** Name of the share. */
  share: string;
}

/**
 * Gets the value of a share for a person: a kept one that lasts long enough, or one that a member makes now. The answer has
 * only the name by which the value is kept among the secrets.
 *
 * @throws inputError `share-not-made` if the group has no such share, or no member can make it
 */
export function createGiveGroupShare(shared: GiverDependencies, times?: GiverTimes) {
  const sourceOf = createShareSources(shared, times);
  return async function giveGroupShare({ scope, group, share }: GroupShareInput): Promise<GroupShareAnswer> {
    const source = await sourceOf(scope, group, {}, group.name);
    const { name, until, isNew } = await source.get(share);
    return { secret: name, until, made: isNew === true };
  };
}
