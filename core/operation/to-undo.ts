import type { Definition } from '../definition/definition.js';
import type { Step } from '../host/step.js';
import type { InventoryServer, InventoryService } from '../infra/inventory.js';
import type { MovedData } from '../taskserv/data-move.js';
import type { DrainTarget } from '../taskserv/taskserv.js';

/** How one thing is taken out of service by what stands in front of it, and returned to it. */
export interface Drain {
  target: DrainTarget;
  /** Server that runs the steps: the load balancer. */
  server: string;
  taskserv: string;
  drain: Step[];
  undrain: Step[];
  /** The same for a target that was rolled back, if it returns with something else than it had. */
  back?: Step[];
}

/** How to undo one thing that was done. Every one means "ensure absent" or "restore". */
export type Compensation =
  /** `repair`: it made what was wanted before already, so that a roll-back leaves it (core/operation/to-undo.ts). */
  | { undo: 'delete-server'; server: string; provider: string; repair?: true }
  | { undo: 'delete-network'; network: string; provider: string }
  /** It was switched off. */
  | { undo: 'start-server'; server: string; provider: string }
  | { undo: 'update-server'; before: InventoryServer; drains?: Drain[]; repair?: true }
  | {
      undo: 'host-steps';
      server: string;
      taskserv: string;
      operation: string;
      generation: number;
      steps: Step[];
      /** Steps were begun on the host: there is a journal. Absent where that is not known. */
      begun?: boolean;
      before?: InventoryService;
      /** Steps that drain it for that time. */
      drains?: Drain[];
      /** All of its steps were repairs, and the service is well. */
      repair?: true;
      /** The positions of its steps that were repairs: they stay where the others are undone. */
      keep?: number[];
    }
  | MovedData
  | { undo: 'drain'; drain: Drain }
  /**
   * It applied the definition with this content address; `definition` is the former one. A member of a batch knows
   * only the address: its infra has the rest.
   */
  | { undo: 'definition'; definition?: Definition; applied?: string; member?: true };

/** Result of undoing one thing. */
export interface UndoOutcome {
  /** `server web-1`, `taskserv redis on db-1`. */
  on: string;
  /** `stays`: a repair, which is not what the operation was for. */
  outcome: 'undone' | 'nothing-to-undo' | 'cannot-be-undone' | 'stays';
  /** Why it cannot be undone, or stays. */
  why?: string;
}

/** Operation that rolled another back, and when (ISO time). A failed operation rolls itself back. */
export interface RolledBack {
  by: string;
  at: string;
}

/** `apply-1 was rolled back by rollback-2, at 2026-01-01T00:00:00Z` */
export const describeRolledBack = (of: string, { by, at }: RolledBack): string =>
  `${of} was rolled back ${by === of ? 'by itself, when it failed' : `by ${by}`}, at ${at.replace(/\.\d+Z$/, 'Z')}`;

/** Request of a roll-back, and the state of the operation. */
interface Asked {
  /** Also what the operation repaired. */
  repairs?: boolean;
  /** The operation was rolled back before, or does so itself. */
  rolledBack?: RolledBack | true;
}

/**
 * Divides the work of an operation into the part that a roll-back undoes and the part that stays: repairs of drift,
 * which were not the purpose of the operation. If it only repaired, that was its purpose. Keeps the order.
 */
export function splitUndo(
  compensations: readonly Compensation[],
  asked: Asked = {},
): { undo: Compensation[]; stay: Compensation[] } {
  if (asked.repairs) return { undo: [...compensations], stay: [] };
  const undo = compensations.filter((one) => !isRepair(one));
  if (undo.length === 0 && !asked.rolledBack) return { undo: [...compensations], stay: [] };
  return { undo, stay: compensations.filter(isRepair) };
}

/** Whether it is nothing but repairs. */
export const isRepair = (one: Compensation): boolean => 'repair' in one && one.repair === true;
