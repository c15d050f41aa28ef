import type { SwitchOver } from '../../activities/service/switch-over.js';
import { type PackedValue, pack, unpack } from '../../core/encoding/pack.js';
import type { Inventory, InventoryChange } from '../../core/infra/inventory.js';
import type { Grant } from '../../core/infra/lock.js';
import type { MachinePlan } from '../../core/operation/machine-plan.js';
import type { Failure, Progress, Rollback } from '../../core/operation/operation.js';
import type { PowerChange } from '../../core/operation/power.js';
import type { Compensation, Drain } from '../../core/operation/to-undo.js';
import type { ServerDecision } from '../runbook/server-decision.js';

/** The form of what runs hand on. Raised with each change that a former form has to be told from. */
const CARRIED_VERSION = 1;

/** A decision, from which the rest of the work follows without another question. */
export interface CarriedDecision {
  /** As it was when this was decided. */
  before: Inventory;
  machines: MachinePlan;
  decisions: ServerDecision[];
  /** For a power operation. */
  switches?: PowerChange[];
  /** For a switch-over. */
  switchOver?: SwitchOver;
  drains: Drain[];
}

/** Policy for the work of a failed or stopped operation. */
export interface SettlePolicy {
  canceled: boolean;
  /** It is rolled back; else it is kept. */
  undo: boolean;
  /** With `undo`: only what failed, and what was being done. */
  onlyFailed?: true;
  /** There was something to roll back. */
  begun: boolean;
}

/** Progress of a roll-back. It has yet to undo the compensations that it names and those that it has not started. */
export interface UndoState {
  /** Remaining work: its kind, place, reason, and the command that removes it. */
  left: string[];
  /** How many of the newest compensations were taken up and could not be undone. */
  failed: number;
  /** Servers that are left. */
  stay: string[];
  /** A person said to leave the rest: why. */
  kept?: string;
}

/** State that a run of an operation passes to the next. */
export interface CarriedState {
  version: typeof CARRIED_VERSION;
  /** ISO time. */
  submitted: string;
  progress: Progress;
  grant: Omit<Grant, 'inventory'>;
  inventory: Inventory;
  /** How many changes its infra was told, and those that it does not know yet. */
  told: number;
  untold: InventoryChange[];
  /** Oldest first. */
  compensations: Compensation[];
  leftOut: [on: string, why: string][];
  control: { pauses: number; canceled: boolean };
  /** How often the input was changed, how often each thing was attempted, and what failed. */
  attempts: { changes: number; generations: [on: string, generation: number][]; firstFailure?: Failure; givenUp: Failure[] };
  /** Settled parts of the decision. */
  done: string[];
  /** How often something was done at what stands in front of others. */
  drained: number;
  decided?: CarriedDecision;
  approved?: true;
  rollback?: Rollback;
  settling?: SettlePolicy;
  undoing?: UndoState;
}

/** As it goes from run to run: equal parts once, since the plan, the inventory and the compensations have most in common. */
export interface HandedOn {
  packed: PackedValue<CarriedState>;
}

export const packCarried = (carried: Omit<CarriedState, 'version'>): HandedOn => ({
  packed: pack({ version: CARRIED_VERSION, ...carried }),
});

/**
 * Unpacks the state of the former run. Values that are modified in place are copied, because equal parts of packed
 * values are one object.
 *
 * @throws Error for a newer form: the task is retried until a worker that knows it comes
 */
export function unpackCarried({ packed }: HandedOn): CarriedState {
  const carried = unpack(packed);
  const version: number = carried.version;
  if (version !== CARRIED_VERSION)
    throw new Error(`cannot continue an operation of form ${version}: this build supports up to ${CARRIED_VERSION}`);
  const { progress, undoing } = carried;
  return {
    ...carried,
    progress: {
      ...progress,
      steps: { ...progress.steps },
      cells: [...progress.cells],
      services: [...progress.services],
      control: [...progress.control],
      ...(progress.outcomes && { outcomes: [...progress.outcomes] }),
    },
    compensations: carried.compensations.map((one) => ({ ...one })),
    ...(undoing && { undoing: { ...undoing, left: [...undoing.left], stay: [...undoing.stay] } }),
  };
}
