import type { PauseInput } from '../../activities/service/pause.js';
import type { Inventory, InventoryChange } from '../../core/infra/inventory.js';
import type { Grant } from '../../core/infra/lock.js';
import type { Cell, OperationRequest, Progress, Rollback } from '../../core/operation/operation.js';
import type { Compensation } from '../../core/operation/to-undo.js';
import type { OperationActivities } from '../activities.js';
import type { CarriedDecision, UndoState } from './carried.js';
import type { Continuation } from './continuation.js';
import type { Control } from './control.js';
import type { Attempt } from './failures.js';

/** Its infra. */
export interface InfraView {
  /** As granted, with all that was recorded since: its tables are modified in place. */
  readonly inventory: Inventory;
  /** For an operation of a batch: the definition in its grant, with this content address, is the one to apply. */
  readonly applies?: Grant['applies'];
}

/** Common part of all phases of an operation: its request, its infra, its plan and its result. */
export interface AnyPhase extends InfraView {
  /** Its request. New input replaces the definition. */
  readonly request: OperationRequest;
  /** When the definition was submitted (ISO time): with the operation, or as other input. */
  readonly submitted: string;
  /** How often the input was changed. */
  readonly changes: number;
  /** Idempotency key of a step. */
  key(step: string, generation?: number): string;
  /** Its plan and its result. */
  readonly progress: Progress;
}

/** Request, and the infra at that time. */
export type StartState = Pick<AnyPhase, 'request' | 'submitted' | 'inventory'>;

/** The activities of these names and no others. Each begins only while the operation is not paused. */
export interface ActivityUser<Names extends keyof OperationActivities> {
  readonly activities: Pick<OperationActivities, Names>;
}

/** Control by people, reduced to these functions. */
export interface ControlUser<Ways extends keyof Control> {
  readonly control: Pick<Control, Ways>;
}

/** Writes into the inventory of its infra. */
export interface Recording extends InfraView {
  /**
   * Tells the infra's inventory, together with whatever is begun next. Waits for what was told before, and throws where
   * that did not arrive. An operation of a batch waits until it knows.
   */
  record(...changes: InventoryChange[]): Promise<void>;
  /**
   * Records changes that are reported with the next report, at the latest at the end: for changes that no later step
   * needs.
   */
  recordSoon(...changes: InventoryChange[]): void;
}

/** Shows where it stands. */
export interface ProgressView {
  show(cell: Cell): void;
  executed(steps: number): void;
  /** Says that a host's key was pinned as it was shown. */
  noteHostKey(server: string, fingerprint: string | undefined): void;
}

/** Notes how what it does is rolled back. */
export interface CompensationLog {
  /** Compensations that were not used yet, oldest first. */
  readonly compensations: Compensation[];
}

/** Does things one by one under its on-failure policy, unless it stops, in as many runs as that takes. */
export interface AttemptRunner {
  /**
   * Does one thing under the on-failure policy. With `ask` a failure waits for a
   * person: `retry` does it again with the next generation, `skip` leaves it out
   * and answers undefined. Other input ends it with `InputChanged`.
   */
  attempt<T>(at: Attempt, work: (generation: number) => Promise<T>): Promise<T | undefined>;
  /** Within such work: waits for others, who may need the place that it has among what is at work. */
  aside<T>(waiting: Promise<T>): Promise<T>;
  /** Set by the first failure or cancellation, and by other input: nothing new is begun. */
  readonly stopped: boolean;
  /** Goes on in a new run where the history of one would grow too long. */
  readonly continuation: Continuation;
}

/** Knows what was left out. */
export interface OmissionLog {
  /** Why a thing (`db-1`, `db-1/redis`, `network/shop`) was left out: what follows from it is left out too. */
  readonly leftOut: Map<string, string>;
  /** Leaves a thing out, and says why. */
  leaveOut(on: string, why: string): void;
}

/** Knows what was decided to be done. */
export interface DecisionState {
  /** Absent until the decision, and when everything is decided again. */
  decided?: CarriedDecision;
  /** The plan was approved, and is yet to be decided again. */
  approved?: true;
}

/** Rolls back what it did, across runs. */
export interface UndoProgress {
  /** How far that came; absent until it began. */
  undoing?: UndoState;
}

/** Has work on hosts that can pause between two steps. */
export interface Pausable {
  readonly atWork: Set<PauseInput>;
}

/** Has an earlier operation to roll back. */
export interface RollingBack {
  /** Its work. It is known before admission. */
  rollback?: Rollback;
}

/**
 * An operation that runs, in all its roles. Only what puts it together and its runbook know it
 * whole; what a phase takes as its operation says what that phase can touch.
 */
export interface Operation
  extends AnyPhase,
    ActivityUser<keyof OperationActivities>,
    ControlUser<keyof Control>,
    Recording,
    AttemptRunner,
    ProgressView,
    CompensationLog,
    OmissionLog,
    Pausable,
    DecisionState,
    UndoProgress,
    RollingBack {
  submitted: string;
  /** Goes on with the input that `InputChanged` told of. */
  begin(): void;
}
