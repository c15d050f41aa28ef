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

/** What was decided, from which the rest of the work follows without anybody being asked again. */
export interface CarriedDecision {
  /** As it was when this was decided. */
  before: Inventory;
  machines: MachinePlan;
  decisions: ServerDecision[];
  /** Of an operation that switches machines. */
  switches?: PowerChange[];
  drains: Drain[];
}

/** What becomes of what an operation did that failed or was stopped. */
export interface SettlePolicy {
  canceled: boolean;
  /** It is rolled back; else it is kept. */
  undo: boolean;
  /** With `undo`: only what failed, and what was being done. */
  onlyFailed?: true;
  /** There was something to roll back. */
  begun: boolean;
}

/** How far a roll-back has come. Of the compensations, those are left that are named here, and those not taken up yet. */
export interface UndoState {
  /** What is left, where, why, and the command that takes it away. */
  left: string[];
  /** How many of the newest compensations were taken up and could not be undone. */
  failed: number;
  /** Servers that are left. */
  stay: string[];
  /** A person said to leave the rest: why. */
  kept?: string;
}

/** What a run of an operation hands to the next. */
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
  /** What is settled of what was decided. */
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
 * What the run before handed on. What is modified in place is a copy of its own: equal parts of what was packed are one.
 *
 * @throws Error of a newer form: the task is tried again until a worker comes that knows it
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
