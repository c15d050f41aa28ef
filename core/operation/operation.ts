import type * as z from 'zod';
import type { Definition } from '../definition/definition.js';
import type { JoinedGroups } from '../definition/group-members.js';
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
 * Goal of an operation. `ensure` brings the named resources (all, without names) to their definition; `delete` removes
 * them. An `apply` of kind `cluster` with `prune` also removes resources that the definition no longer has. `start`,
 * `stop` and `restart` switch machines, by kind `server` and by name. `switch-over`, by kind `taskserv`, gives the lead of a
 * group to another member.
 */
export type Intent = z.output<typeof intent>;

/** Request of an operation. core/schema/operation-request.ts describes each field. */
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
  /** Its time limit passed without a good answer. `onTimeout` decides about it. */
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
  /** Steps that were done, or with `check` would be done, in order. */
  plan: PlannedStep[];
  /** Identifies the plan, if it needed an approval or was given (core/plan/plan-lines.ts). */
  planHash?: string;
  /** Changes since the given plan was made, if the present plan differs. */
  planChanges?: PlanChange[];
  /** The superseding definition, in status `superseded`. */
  supersededBy?: ReceivedDefinition;
  /** Actions of people on it, with their reasons, in order. */
  control: ControlEntry[];
  /** Skipped work with its reason: `redis on db-1 was skipped by ada`. */
  skipped?: { on: string; why: string }[];
  error?: Failure;
  /** Resources that a failed or stopped operation left, by name. */
  left?: string[];
  /** Results of a roll-back for each resource, in order of their start. */
  outcomes?: UndoOutcome[];
  /** Steps of `workflow rollback`, newest first. */
  compensations?: Compensation[];
  /** The settings that counted when it was asked for. */
  settings?: OperationRequest['settings'];
  /** For a roll-back: the operation whose work it rolls back, also if it continues an earlier roll-back. */
  of?: string;
}

/** Work of a roll-back, from the result of the operation that it rolls back. */
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

/** One cell of the live table (server × taskserv). */
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

/** A retried action, and its deadline. */
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
  /** Kind of the expected answer, in status `waiting`. */
  question?: Question;
  /** With a question whose answer may be to roll back: what that would undo, the newest first. */
  undoes?: string[];
  cells: Cell[];
}

/** How a step failed and what a person decided about it. */
export type Decision = 'retry' | 'skip' | 'rollback' | 'keep';

/** Request of an operation to its infra's entity. */
export interface LockRequest {
  operation: string;
  kind: OperationKind;
  /** `server/NAME`, exclusively; `*` conflicts with everything. Empty: the operation only reads. */
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
  /**
   * Definition that the first of them applies. Former releases did not name one: it is then the definition of all of
   * them.
   */
  definition?: Definition;
}

/** Further inputs of an operation. Its grant has only these; without them it has everything. */
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
  /** Groups of which these servers have members, with the servers of all members. Absent: as the last applied definition says. */
  groups?: JoinedGroups;
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
  /** Outage that keeps the infra's entity from starting. */
  outage?: Outage;
}
