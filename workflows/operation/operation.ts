import type { PauseInput } from '../../activities/service/pause.js';
import type { Inventory, InventoryChange } from '../../core/infra/inventory.js';
import type { Cell, Compensation, OperationRequest, Progress, Rollback } from '../../core/operation/operation.js';
import type { OperationActivities } from '../activities.js';
import type { Attempted } from './attempts.js';
import type { Control } from './control.js';

/** What the phases of an operation share: its record, its activities, its way of failing. */
export interface Operation {
  readonly request: OperationRequest;
  /** Each begins only while the operation is not paused. */
  readonly activities: OperationActivities;
  readonly control: Control;
  /** When its definition was submitted (ISO time): with the operation, or as other input. */
  submitted: string;
  /** As granted, with all that was recorded since. */
  inventory: Inventory;
  readonly progress: Progress;
  /** What can be rolled back and was not yet, oldest first. */
  readonly compensations: Compensation[];
  /** Of a roll-back what it has to do; known before it is admitted. */
  rollback?: Rollback;
  /** Set by the first failure or cancellation, and by other input: nothing new is begun. */
  readonly stopped: boolean;
  /** How often the input was changed. */
  readonly changes: number;
  /** Why a thing (`db-1`, `db-1/redis`, `network/shop`) was left out: what follows from it is left out too. */
  readonly leftOut: Map<string, string>;
  /** Work on hosts that can pause between two steps. */
  readonly atWork: Set<PauseInput>;
  /** Idempotency key of a step of this operation. */
  key(step: string, generation?: number): string;
  show(cell: Cell): void;
  executed(steps: number): void;
  /** Says that a host's key was pinned as it was shown. */
  noteHostKey(server: string, fingerprint: string | undefined): void;
  /** Leaves a thing out, and says why. */
  leaveOut(on: string, why: string): void;
  /** Tells the infra's inventory, and waits until it knows. */
  record(...changes: InventoryChange[]): Promise<void>;
  /** The same with what is told next, at the latest with the end: for what nothing stands between. */
  recordSoon(...changes: InventoryChange[]): void;
  /**
   * Does one thing under the on-failure policy. With `ask` a failure waits for a
   * person: `retry` does it again with the next generation, `skip` leaves it out
   * and answers undefined. Other input ends it with `InputChanged`.
   */
  attempt<T>(at: Attempted, work: (generation: number) => Promise<T>): Promise<T | undefined>;
  /** Goes on with the input that `InputChanged` told of. */
  begin(): void;
}
