import type { Compensation } from '../../core/operation/to-undo.js';
import { findMemberSpecs, type GroupLeaver, leaveGroups, type Remainder } from './leaving/leaving.js';

const remainderOf = ({ inventory }: GroupLeaver, doomed: ReadonlySet<string>): Remainder => ({
  definition: inventory.definition ?? { servers: [] },
  goes: (server) => doomed.has(server),
});

/**
 * Takes the members of a machine out of their groups before a roll-back deletes it: else the groups would count them on.
 * Undefined where it has none: nothing is to be waited for.
 *
 * @param doomed all machines that the roll-back deletes
 */
export function leaveDoomed(operation: GroupLeaver, server: string, doomed: ReadonlySet<string>): Promise<number> | undefined {
  const specs = findMemberSpecs(operation, operation.inventory.definition ?? { servers: [] }, server);
  if (specs.length === 0) return undefined;
  return leaveGroups(operation, remainderOf(operation, doomed), { server, isLater: true }, specs);
}

/**
 * Waits until a group can do without a member that a roll-back changes. It was a member before and stays one. Undefined
 * where the change is not of a group.
 *
 * @throws inputError `quorum-lost` where the others cannot do without it
 */
export function awaitSpare(operation: GroupLeaver, one: Compensation, doomed: ReadonlySet<string>): Promise<number> | undefined {
  const server = one.undo === 'update-server' ? one.before.name : one.undo === 'host-steps' ? one.server : undefined;
  if (server === undefined) return undefined;
  const specs = findMemberSpecs(operation, operation.inventory.definition ?? { servers: [] }, server).filter(
    ({ name }) =>
      one.undo === 'update-server' || (one.undo === 'host-steps' && one.taskserv === name && one.before?.group !== undefined),
  );
  if (specs.length === 0) return undefined;
  return leaveGroups(operation, remainderOf(operation, doomed), { server, returns: true, isLater: true }, specs);
}
