import type { Member } from '../../core/taskserv/groups/group.js';
import { countQuorum, type SeenMembers } from './quorum.js';

/** What a member says of itself. A silent one may be lost for good. One with an id may be known to the others without a vote yet. */
export const hasPlace = ({ state, standing }: Member): boolean =>
  state === 'silent' || standing?.group !== undefined || standing?.id !== undefined;

/**
 * Whether a member that goes has to be taken out of its group: it has a place by its own answer, or the others still list
 * it. Those list a member whose machine was lost, until another one of its name has joined. If no other member serves,
 * none can say that.
 */
export function mustLeave(seen: SeenMembers, member: Member): boolean {
  if (hasPlace(member)) return true;
  const { serve, belong, size } = countQuorum(seen);
  if (serve.length === 0) return seen.rules.quorum === 'majority' && belong.length > 0;
  const lists = serve.flatMap(({ standing }) => (standing?.lists ? [standing.lists] : []));
  if (lists.length > 0) return lists.some((list) => list.includes(member.server));
  return size > belong.length;
}
