import { CancellationScope, sleep, workflowInfo } from '@temporalio/workflow';
import { limitAtWork } from '../../../core/operation/history-size.js';
import type { Cell, OperationRequest, Progress } from '../../../core/operation/operation.js';
import { activitiesFor, type OperationActivities } from '../../activities.js';
import { countDrains } from '../../rollout/draining.js';
import { type Attempts, createAttempts } from '../attempts.js';
import type { CarriedState, SettlePolicy } from '../carried.js';
import { Continuation } from '../continuation.js';
import { type Control, createControl } from '../control.js';
import { refreshDetailsSoon } from '../details.js';
import { judgeInput } from '../new-input.js';
import type { AnyPhase, ControlUser, OmissionLog, Operation, Pausable, ProgressView } from '../operation.js';
import { guardActivities, Window } from '../window.js';
import { type Authority, createAuthority } from './authority.js';
import type { HeldInfra } from './held-infra.js';
import { createKeepingChanges, createLifeCycle, type KeepingChanges, type LifeCycle } from './life-cycle.js';

/** An operation with what only its frame sees of it. */
export interface OpenOperation {
  operation: Operation;
  held: HeldInfra;
  lifeCycle: LifeCycle;
  attempts: Attempts;
  keeping: KeepingChanges;
  /** Absent: its principal has nothing to lose. */
  authority?: Authority | undefined;
  /** Policy for its work once it failed or was stopped. */
  settling?: SettlePolicy;
}

/**
 * Puts an operation together, which from then on can be controlled.
 *
 * @param request is modified where other input comes
 * @param stop cancels its work
 * @param carried what the run before handed on
 */
export function openOperation(
  request: OperationRequest,
  progress: Progress,
  held: HeldInfra,
  stop: () => void,
  carried?: CarriedState,
): OpenOperation {
  const asked = { ...request };
  const lifeCycle = createLifeCycle(request, progress);
  const activities = activitiesFor(request.timing ?? {}, held.lock, request.batch !== undefined, lifeCycle.awaitStore);
  const authority = createAuthority(request, { under: held.lock, say: lifeCycle.awaitStore }, carried !== undefined);
  // An update that waited for this run is heard before there is anything that could be at work.
  let working: Operation | undefined;
  const control = createControl(
    {
      record: progress.control,
      changed: lifeCycle.heed,
      stop,
      pause: (count) => working && pauseWork(working, activities, count),
      authority,
      judgeInput: (definition) => judgeInput(asked, definition, held.inventory),
    },
    carried?.control,
  );
  const board = createBoard(progress, () => attempts.changes, carried?.leftOut);
  const operation: Operation = {
    request,
    progress,
    control,
    activities: whileNotPaused(activities, control),
    // All operations of a batch have the same age, whenever each begins: none supersedes another.
    submitted: carried?.submitted ?? request.batch?.submitted ?? workflowInfo().startTime.toISOString(),
    compensations: carried?.compensations ?? [],
    leftOut: board.leftOut,
    atWork: new Set(),
    continuation: new Continuation(request.timing?.continueAfter, () => pauseLongWork(operation), carried?.done),
    decided: carried?.decided,
    approved: carried?.approved,
    undoing: carried?.undoing,
    rollback: carried?.rollback,
    get inventory() {
      return held.inventory;
    },
    get applies() {
      return held.applies;
    },
    get stopped() {
      return control.stopping || attempts.turning;
    },
    get changes() {
      return attempts.changes;
    },
    key: (step, generation = 1) => `${request.id}/${step}/${generation}`,
    show: board.show,
    executed: board.executed,
    noteHostKey: board.noteHostKey,
    leaveOut: board.leaveOut,
    record: held.record,
    recordSoon: held.recordSoon,
    attempt: (at, run) => attempts.attempt(at, run),
    aside: (waiting) => attempts.aside(waiting),
    begin() {
      attempts.begin();
      board.clear();
      operation.continuation.clear();
      operation.decided = undefined;
      operation.approved = undefined;
    },
  };
  const attempts = createAttempts(operation, carried?.attempts);
  working = operation;
  if (carried) countDrains(operation, carried.drained);
  const keeping = createKeepingChanges(held, progress, request.batch !== undefined, lifeCycle.outage);
  return { operation, held, lifeCycle, attempts, authority, keeping, settling: carried?.settling };
}

/**
 * Completed work is reported even while nothing new begins. A machine that a restart stopped does not stay stopped
 * during a pause.
 */
const whileNotPaused = (activities: OperationActivities, { go }: Control): OperationActivities => ({
  ...guardActivities(activities, go, new Window(limitAtWork())),
  tell: activities.tell,
  askNewInfra: activities.askNewInfra,
  powerOn: activities.powerOn,
});

/** Work on a host that long after the run's end began must pause, and the next run continues it. In milliseconds. */
const LONG_MS = 5 * 60_000;

function pauseLongWork({ request, control }: AnyPhase & ControlUser<'pauseWork'>): void {
  const pauseLater = async () => {
    await sleep(request.timing?.drainMs ?? LONG_MS);
    control.pauseWork();
  };
  // Also after a cancel; a run that ends before does not hear of it.
  void CancellationScope.nonCancellable(pauseLater);
}

/** Asks what is at work on hosts to stop before its next step. */
function pauseWork({ atWork }: Pausable, { pause }: Pick<OperationActivities, 'pause'>, count: number): void {
  const ask = async () => {
    for (const at of atWork) pause({ ...at, count }).catch(() => {});
  };
  // Also after a cancel, in whose scope nothing would begin.
  void CancellationScope.nonCancellable(ask);
}

export interface Board extends ProgressView, OmissionLog {
  /** Skipped work is decided again. */
  clear(): void;
}

/**
 * Visible servers and services of an operation, and those that it skips.
 *
 * @param changes number of changes of its input so far
 * @param leftOut skipped by former runs
 */
export function createBoard(progress: Progress, changes: () => number, leftOut?: [on: string, why: string][]): Board {
  const thingOf = ({ server, taskserv }: Cell) => (taskserv ? `${server}/${taskserv}` : server);
  /** Index of each thing in the list of cells. */
  const places = new Map(progress.cells.map((cell, index) => [thingOf(cell), index]));
  const board: Board = {
    leftOut: new Map(leftOut),
    show(cell) {
      const thing = thingOf(cell);
      const index = places.get(thing);
      const former = index === undefined ? undefined : progress.cells[index];
      if (index === undefined) places.set(thing, progress.cells.push(cell) - 1);
      // Work of this operation from before a change of its input stays done.
      else if (changes() === 0 || former?.state !== 'done' || cell.state !== 'unchanged') progress.cells[index] = cell;
      refreshDetailsSoon(progress);
    },
    executed(steps) {
      progress.steps.executed += steps;
    },
    noteHostKey(server, fingerprint) {
      if (!fingerprint) return;
      const text = `the key of this host was seen for the first time and is pinned: ${fingerprint}`;
      progress.notes = [...(progress.notes ?? []), { on: server, text }];
      refreshDetailsSoon(progress);
    },
    leaveOut(on, why) {
      board.leftOut.set(on, why);
      progress.skipped = [...(progress.skipped ?? []).filter((one) => one.on !== on), { on, why }];
      const [server = '', taskserv] = on.split('/');
      if (server !== 'network') board.show({ server, ...(taskserv ? { taskserv } : {}), state: 'skipped', step: why });
    },
    clear() {
      board.leftOut.clear();
      progress.skipped = undefined;
    },
  };
  return board;
}
