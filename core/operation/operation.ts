import type * as z from 'zod';
import type { Definition } from '../definition/definition.js';
import type { ReportedProgress } from '../host/ran-command.js';
import type { ReceivedDefinition } from '../infra/lock.js';
import type { Outage } from '../infra/outage.js';
import type { PlanChange } from '../plan/plan-changes.js';
import type { PlannedStep } from '../plan/planned-step.js';
import type { intent, operation } from '../schema/operation-request.js';
import type { kind, timing } from '../schema/request-fields.js';
import type { ControlEntry, Question } from './control.js';
import type { Compensation, UndoOutcome } from './to-undo.js';

export type OperationKind = z.output<typeof kind>;

/**
 * What is wanted. `ensure` makes the named things (all, when none is named) what
 * the definition says; `delete` takes them away. An `apply` of kind `cluster`
 * with `prune` also removes what the definition no longer names. `start`, `stop`
 * and `restart` switch machines, by kind `server` and by name.
 */
export type Intent = z.output<typeof intent>;

/** What an operation is asked to do; each field is told of in core/schema/operation-request.ts. */
export type OperationRequest = z.output<typeof operation>;

/** Durations in milliseconds, so that tests need not wait. */
export type Timing = z.output<typeof timing>;

/** `superseded`: it did nothing, since its infra had received a definition that was submitted later. */
export type OperationStatus =
  | 'queued'
  | 'running'
  | 'waiting'
  | 'paused'
  | 'done'
  | 'failed'
  | 'rolled-back'
  | 'canceled'
  | 'superseded';

export interface ServiceState {
  server: string;
  taskserv: string;
  version: string;
  healthy: boolean;
  /** Which check failed and why, where one did. */
  why?: string;
}

export interface Failure {
  /** The title of the step that failed. */
  step: string;
  on: string;
  why: string;
  hint?: string;
  /** The stable code of the error. */
  code?: string;
  /** 1 the operation failed, 2 bad input, 3 something cannot be reached. */
  exitCode?: 1 | 2 | 3;
  /** It was tried for as long as it may work, and what it asked did not answer, or not well: `onTimeout` says what becomes of it. */
  outOfPatience?: true;
}

export interface OperationResult extends ReportedProgress {
  operation: string;
  kind: OperationKind;
  workspace: string;
  infra: string;
  status: OperationStatus;
  steps: { executed: number; planned: number };
  services: ServiceState[];
  /** What was (or, with `check`, would be) done, in order. */
  plan: PlannedStep[];
  /** What tells the plan from others, where it was to be approved or was given (core/plan/plan-lines.ts). */
  planHash?: string;
  /** Where the plan that it was given is not what would be done: what has changed since that was made. */
  planChanges?: PlanChange[];
  /** What superseded it, in status `superseded`. */
  supersededBy?: ReceivedDefinition;
  /** What people did to it, and why, in order. */
  control: ControlEntry[];
  /** What was left out, and why: `redis on db-1 was skipped by ada`. */
  skipped?: { on: string; why: string }[];
  error?: Failure;
  /** What a failed or stopped operation left, by name. */
  left?: string[];
  /** Of what was rolled back: what became of each thing, in the order in which they were taken up. */
  outcomes?: UndoOutcome[];
  /** What `workflow rollback` would run, newest first. */
  compensations?: Compensation[];
  /** The settings that counted when it was asked for. */
  settings?: OperationRequest['settings'];
  /** Of a roll-back: the operation whose work it rolls back, also where it goes on with what an earlier roll-back left. */
  of?: string;
}

/** What a roll-back has to do, as the result of the operation that it rolls back says. */
export interface Rollback {
  /** The operation whose work is rolled back. */
  of: string;
  /** Newest first. */
  compensations: Compensation[];
  /** It was rolled back before (core/operation/to-undo.ts). */
  rolledBack?: { by: string; at: string };
  /** Whose definition stays the last applied one, since it was applied beside or after that of this operation. */
  stays?: { operation: string; at: string };
}

/** An operation of which nothing is done yet. */
export function createQueuedProgress({
  id,
  kind,
  workspace,
  infra,
  settings,
}: Pick<OperationRequest, 'id' | 'kind' | 'workspace' | 'infra' | 'settings'>): OperationResult {
  const nothing = { status: 'queued' as const, steps: { executed: 0, planned: 0 }, services: [], plan: [], control: [] };
  return { operation: id, kind, workspace, infra, ...nothing, ...(settings && { settings }) };
}

/** What one cell of the live table (server × taskserv) shows. */
export interface Cell {
  server: string;
  /** Absent for the server itself. */
  taskserv?: string;
  state: 'pending' | 'running' | 'done' | 'unchanged' | 'failed' | 'skipped' | 'undone';
  /** The current step, or the last. */
  step?: string;
  done?: number;
  total?: number;
  /** Why the step is tried again, once it has failed more than once. */
  again?: Again;
}

/** What is tried again, and until when. */
export interface Again {
  /** Attempts that failed. */
  attempt: number;
  /** When it is given up, unless something changes: ISO time. */
  until?: string;
  why: string;
}

/** `tries again until 2026-11-29T12:00:00Z (4 attempts failed): cannot connect by SSH: …` */
export const describeAgain = ({ attempt, until, why }: Again): string =>
  `tries again${until ? ` until ${until}` : ''} (${attempt} attempts failed): ${why}`;

/** The answer of the query `progress`. */
export interface Progress extends OperationResult {
  /** `waiting for server/db-1, held by … since …`; `retry, skip or roll back?` */
  waiting?: string;
  /** What kind of answer it waits for, in status `waiting`. */
  question?: Question;
  /** With a question whose answer may be to roll back: what that would undo, the newest first. */
  undoes?: string[];
  cells: Cell[];
}

/** How a step failed and what a person decided about it. */
export type Decision = 'retry' | 'skip' | 'rollback' | 'keep';

/** What an operation asks the infra's entity for. */
export interface LockRequest {
  operation: string;
  kind: OperationKind;
  /** `server/NAME`, for itself alone; `*` clashes with everything. Empty: it only looks. */
  resources: string[];
  actor: string;
  /** From 1, the most urgent, to 5. Default 3. */
  priority?: number;
  /** Whose requests take turns with those of others: a batch's, else the actor's. */
  flow?: string;
  /** When the operation was submitted, by Temporal's clock (ISO time). */
  submitted?: string;
  /** The batch that asks for it and is answered: the operation has not begun yet. */
  batch?: string;
  /** Content address of the definition that it is to apply, which its batch brings along. */
  applies?: string;
  /** The operation that it rolls back. */
  undoes?: string;
  needs?: LockNeeds;
}

/** The locks that a batch asks an infra for. */
export interface Wishes {
  wishes: LockRequest[];
  /** What the first of them says that it applies; without its saying so, as a former release did, what all go by. */
  definition?: Definition;
}

/** What else an operation goes by, so that its grant brings that and no more; without it the grant brings all. */
export interface LockNeeds {
  /** The servers it names; absent: all. */
  servers?: string[];
  taskservs?: string[];
  /** Whether it decides services, which look at peers. */
  peers?: boolean;
  /** Networks that it puts servers into: made first where they are missing. Absent: as the last applied definition says. */
  networks?: string[];
  /** Servers whose taskservs take these servers out of service while they are worked on. Absent: as the last applied definition says. */
  drains?: string[];
  /** Whether it goes by a definition at all. */
  definition?: boolean;
  /** Hash of the definition that it brings along. */
  own?: string;
  /** All that it names is in the definition that it brings along. */
  complete?: boolean;
  /** Content address of the definition that was applied, which gives way to the former one. */
  restores?: string;
}

export interface Holder extends LockRequest {
  grant: number;
  /** ISO time. */
  since: string;
}

export interface Waiter extends LockRequest {
  since: string;
  /** The operations it waits for, and on which resource; the first few of them. */
  blockedBy: { operation: string; resource: string; since: string /** It waits as well, before this one. */; waits?: true }[];
  /** What keeps the infra's entity from beginning. */
  outage?: Outage;
}
