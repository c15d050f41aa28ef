import { upsertSearchAttributes } from '@temporalio/workflow';
import { type Outage, outageWords } from '../../../core/infra/outage.js';
import { SEARCH_ATTRIBUTES, STORE_ATTENTION } from '../../../core/names.js';
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
  let outage: Outage | undefined;

  function show(): void {
    const { question, paused } = stands.status === 'running' || controlled.question?.kind === 'cancel' ? controlled : {};
    const status = question ? 'waiting' : paused ? 'paused' : stands.status;
    const stops = question?.text ?? (paused && `paused by ${paused.actor} since ${paused.at}${reason(paused)}`);
    const waiting = stops ?? (outage ? outageWords(outage) : stands.waiting);
    const left = status === 'rolled-back' && progress.left?.length ? 'left' : '';
    const wanted = question?.kind ?? (outage ? STORE_ATTENTION : left);
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
    /** A store does not answer, or does again: then nothing is said. */
    awaitStore(said: Outage | undefined): void {
      outage = said;
      show();
    },
    /** What was said of the store last. */
    outage: (): Outage | undefined => outage,
  };
}
