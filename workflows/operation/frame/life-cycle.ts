import { upsertSearchAttributes } from '@temporalio/workflow';
import { SEARCH_ATTRIBUTES } from '../../../core/names.js';
import type { OperationRequest, OperationStatus, Progress } from '../../../core/operation/operation.js';
import { reason } from '../attempts.js';
import type { ControlState } from '../control-desk.js';
import { refreshDetails } from '../details.js';

export type LifeCycle = ReturnType<typeof lifeCycleOf>;

/** The status of an operation: what it entered itself, unless a question or a pause keeps it from that. */
export function lifeCycleOf({ batch }: OperationRequest, progress: Progress) {
  let stands: { status: OperationStatus; waiting?: string } = { status: 'queued' };
  let controlled: ControlState = {};
  let attention = '';

  function show(): void {
    const { question, paused } = stands.status === 'running' || controlled.question?.kind === 'cancel' ? controlled : {};
    const status = question ? 'waiting' : paused ? 'paused' : stands.status;
    const waiting = question?.text ?? (paused ? `paused by ${paused.actor} since ${paused.at}${reason(paused)}` : stands.waiting);
    const wanted = question?.kind ?? (status === 'rolled-back' && progress.left?.length ? 'left' : '');
    // A batch's operation is started as running, and what is completed is done: an upsert costs as much as a step.
    const known = status === 'done' || (status === 'running' && progress.status === 'queued' && batch !== undefined);
    if ((progress.status !== status && !known) || attention !== wanted) {
      upsertSearchAttributes({
        [SEARCH_ATTRIBUTES.status]: [status],
        [SEARCH_ATTRIBUTES.attention]: wanted ? [wanted] : [],
      });
      attention = wanted;
    }
    Object.assign(progress, { status, waiting, question: question?.kind });
    refreshDetails(progress);
  }

  return {
    /** It is at this point, and waits for what `waiting` says. */
    enter(status: OperationStatus, waiting?: string): void {
      stands = { status, waiting };
      show();
    },
    /** Somebody is asked something, or it was paused, or that is over. */
    heed(state: ControlState): void {
      controlled = state;
      show();
    },
  };
}
