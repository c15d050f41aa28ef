import type { Compensation } from '../../core/operation/to-undo.js';
import type { AnyPhase, CompensationLog } from './operation.js';

/**
 * Completed work of a failed operation, which stays if only failed parts are rolled back: services and servers that
 * are done, networks of such servers, and the definition that they follow.
 */
export function listDone({ compensations, progress, inventory }: CompensationLog & AnyPhase): Compensation[] {
  const stateOf = (server: string, taskserv?: string) =>
    progress.cells.find((cell) => cell.server === server && cell.taskserv === taskserv)?.state;
  const isDone = (server: string, taskserv?: string) => ['done', 'unchanged'].includes(stateOf(server, taskserv) ?? '');
  const doomed = new Set(compensations.flatMap((one) => (one.undo === 'delete-server' && !isDone(one.server) ? [one.server] : [])));
  const isUsed = (network: string) =>
    Object.values(inventory.servers).some(({ name, spec }) => spec.network === network && !doomed.has(name));
  const stays = (one: Compensation): boolean => {
    switch (one.undo) {
      case 'delete-server':
      case 'start-server':
        return isDone(one.server);
      case 'update-server':
        return isDone(one.before.name);
      case 'host-steps':
        return isDone(one.server, one.taskserv);
      case 'moved-data':
        return isDone(one.to, one.taskserv);
      case 'delete-network':
        return isUsed(one.network);
      case 'definition':
        return true;
      case 'drain':
        return false;
    }
  };
  return compensations.filter(stays);
}
