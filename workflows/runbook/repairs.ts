import type { DecidedService } from '../../activities/service/decide.js';
import { same } from '../../core/encoding/hash.js';
import type { InventoryServer } from '../../core/infra/inventory.js';
import type { Compensation } from '../../core/operation/to-undo.js';
import type { CompensationLog } from '../operation/operation.js';

/** How steps on a host are rolled back. */
export type StepsUndo = Compensation & { undo: 'host-steps' };

/** Says of what was done, and is well, what of it only repaired: a roll-back leaves that. */
export function noteRepairs(undo: StepsUndo | undefined, { steps, repairs = [] }: Pick<DecidedService, 'steps' | 'repairs'>): void {
  if (!undo || repairs.length === 0) return;
  if (repairs.length === steps.length) undo.repair = true;
  else undo.keep = repairs;
}

/** Says of a machine that was gone or different, and is as it was wanted before, that a roll-back leaves it. */
export function noteMachineRepair(
  { compensations }: CompensationLog,
  { spec, known }: { spec: InventoryServer['spec']; known: InventoryServer | undefined },
): void {
  if (!known || known.stopped || !same(known.spec, spec)) return;
  const own = compensations.findLast(
    (one) =>
      (one.undo === 'delete-server' && one.server === spec.name) || (one.undo === 'update-server' && one.before.name === spec.name),
  );
  if (own?.undo === 'delete-server' || own?.undo === 'update-server') own.repair = true;
}
