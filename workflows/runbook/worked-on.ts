import type { HeldDataAt } from '../../activities/service/held-data.js';
import type { TaskservSpec } from '../../core/definition/definition.js';
import type { WorkScope } from '../../core/operation/work-scope.js';
import { planMoves } from '../moves/moves.js';
import type { AnyPhase, DecisionState } from '../operation/operation.js';

/**
 * Data of other services on which a service works: of those to which its configuration refers, otherwise of all. Data
 * that is neither in the inventory nor made by this operation is omitted.
 */
export function findWorked(
  { inventory, decided }: AnyPhase & DecisionState,
  work: WorkScope,
  { worksOn = [], refersTo = [] }: TaskservSpec,
): HeldDataAt[] {
  if (worksOn.length === 0) return [];
  const all = work.definition.servers.flatMap(({ name: server, taskservs }) =>
    taskservs.flatMap(({ name: taskserv, moveData }) => (worksOn.includes(taskserv) ? [{ taskserv, server, moveData }] : [])),
  );
  const meant = all.filter((one) => refersTo.some(({ server, taskserv }) => server === one.server && taskserv === one.taskserv));
  return (meant.length > 0 ? meant : all).flatMap(({ taskserv, server, moveData }): HeldDataAt[] => {
    const now = inventory.servers[server];
    const before = decided ? decided.before.servers[server] : now;
    const isKept = before?.services[taskserv] !== undefined && before.id === now?.id;
    const isMade = work.ensureServices.some(
      (one) => one.server.name === server && one.taskservs.some(({ name }) => name === taskserv),
    );
    if (!isKept && !isMade) return [];
    const move =
      moveData && planMoves(work, decided?.before ?? inventory).find((one) => one.to === server && one.spec.name === taskserv);
    // Until the data has come, it is where it was.
    const holder = move && inventory.servers[move.from]?.services[taskserv] ? inventory.servers[move.from] : now;
    return [
      {
        ...{ taskserv, server },
        ...(now && { machine: now.id }),
        ...(holder && { at: { server: holder.name, provider: holder.provider, connection: holder.connection } }),
        ...(isKept || move ? {} : { begins: true as const }),
      },
    ];
  });
}

/** The same for all services of a host, for the questions about it. */
export function dataOf(operation: AnyPhase & DecisionState, work: WorkScope, wanted: readonly TaskservSpec[]) {
  const heldData = wanted.flatMap((spec) => findWorked(operation, work, spec));
  return heldData.length > 0 ? { heldData } : {};
}

/** Whether what it works on began since that was decided, or is on a machine that was made since. */
export const worksOnOther = (operation: AnyPhase & DecisionState, work: WorkScope, spec: TaskservSpec): boolean =>
  findWorked(operation, work, spec).some(
    ({ server, machine, begins }) => begins || operation.decided?.before.servers[server]?.id !== machine,
  );
