import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import type { OperationRequest, Progress } from '../../../core/operation/operation.js';
import { activitiesFor, type OperationActivities } from '../../activities.js';
import { type Attempts, attemptsOf } from '../attempts.js';
import { type Control, controlOf } from '../control.js';
import { gated } from '../gated.js';
import { judgeInput } from '../new-input.js';
import type { Operation, Pausable } from '../operation.js';
import { AT_WORK, Window } from '../window.js';
import { boardOf } from './board.js';
import type { HeldInfra } from './held-infra.js';
import { type LifeCycle, lifeCycleOf } from './life-cycle.js';

/** An operation with what only its frame sees of it. */
export interface Opened {
  operation: Operation;
  held: HeldInfra;
  lifeCycle: LifeCycle;
  attempts: Attempts;
}

/**
 * Puts an operation together, which from then on can be controlled.
 *
 * @param request is modified where other input comes
 * @param stop cancels its work
 */
export function openOperation(request: OperationRequest, progress: Progress, held: HeldInfra, stop: () => void): Opened {
  const asked = { ...request };
  const lifeCycle = lifeCycleOf(request, progress);
  const activities = activitiesFor(request.timing, request.batch !== undefined);
  const control = controlOf({
    record: progress.control,
    changed: lifeCycle.heed,
    stop,
    pause: (count) => pauseWork(operation, activities, count),
    judgeInput: (definition) => judgeInput(asked, definition, held.inventory),
  });
  const board = boardOf(progress, () => attempts.changes);
  const operation: Operation = {
    request,
    progress,
    control,
    activities: whileNotPaused(activities, control),
    submitted: workflowInfo().startTime.toISOString(),
    compensations: [],
    leftOut: board.leftOut,
    atWork: new Set(),
    get inventory() {
      return held.inventory;
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
    begin() {
      attempts.begin();
      board.clear();
    },
  };
  const attempts = attemptsOf(operation);
  return { operation, held, lifeCycle, attempts };
}

/** What was done is told also while nothing new begins; what a restart switched off does not stay so for a pause. */
const whileNotPaused = (activities: OperationActivities, { go }: Control): OperationActivities => ({
  ...gated(activities, go, new Window(AT_WORK)),
  tell: activities.tell,
  askNewInfra: activities.askNewInfra,
  powerOn: activities.powerOn,
});

/** Asks what is at work on hosts to stop before its next step. */
function pauseWork({ atWork }: Pausable, { pause }: Pick<OperationActivities, 'pause'>, count: number): void {
  const ask = async () => {
    for (const at of atWork) pause({ ...at, count }).catch(() => {});
  };
  // Also after a cancel, in whose scope nothing would begin.
  void CancellationScope.nonCancellable(ask);
}
