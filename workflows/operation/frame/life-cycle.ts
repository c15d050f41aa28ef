import { upsertSearchAttributes } from '@temporalio/workflow';
import type { FeedBacklog } from '../../../activities/infra/feed.js';
import { describeKeeping } from '../../../core/infra/feed-state.js';
import { type Outage, outageWords } from '../../../core/infra/outage.js';
import { SEARCH_ATTRIBUTES, STORE_ATTENTION } from '../../../core/names.js';
import type { ControlEntry } from '../../../core/operation/control.js';
import type { OperationRequest, OperationStatus, Progress } from '../../../core/operation/operation.js';
import { reason } from '../attempts.js';
import type { ControlState } from '../control-desk.js';
import { refreshDetails } from '../details.js';
import type { HeldInfra } from './held-infra.js';
import { waitsForStore } from './tell-infra.js';

/** `paused by ann@desk since … (a reason)`; `frozen by ann@desk since …: a reason`. */
function wordsOfPause(paused: ControlEntry): string {
  const { actor, at, freeze, why = '' } = paused;
  return freeze === undefined ? `paused by ${actor} since ${at}${reason(paused)}` : `frozen by ${actor} since ${at}: ${why}`;
}

export type LifeCycle = ReturnType<typeof createLifeCycle>;

/** The status of an operation: what it entered itself, unless a question or a pause keeps it from that. */
export function createLifeCycle({ batch }: OperationRequest, progress: Progress) {
  let stands: { status: OperationStatus; waiting?: string } = { status: 'queued' };
  let controlled: ControlState = {};
  let attention = '';
  let outage: Outage | undefined;

  function show(): void {
    const { question, paused } = stands.status === 'running' || controlled.question?.kind === 'cancel' ? controlled : {};
    const status = question ? 'waiting' : paused ? 'paused' : stands.status;
    const stops = question?.text ?? (paused && wordsOfPause(paused));
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
    /** A question is open, or it was paused, or one of these has ended. */
    heed(state: ControlState): void {
      controlled = state;
      show();
    },
    /** A store does not answer, or does again: then nothing is said. */
    awaitStore(said: Outage | undefined): void {
      outage = said;
      show();
    },
    /** Last report about the store. */
    outage: (): Outage | undefined => outage,
  };
}

/** The wait for the store, at the end of an operation. */
export interface KeepingChanges {
  /** Whether the end is not told before the store has what was done. */
  waits(): boolean;
  /** Takes note of what keeps it waiting. */
  say(keeping: NonNullable<FeedBacklog>): void;
  /** The store has all. */
  end(): void;
  /** Visible state of the operation: until its end is stored, it is running. */
  seen(): Progress;
}

const AT_WORK: readonly OperationStatus[] = ['queued', 'running', 'waiting', 'paused'];

/**
 * @param inBatch whether a batch waits in its place
 * @param outage what keeps it waiting if the store does not answer at all
 */
export function createKeepingChanges(
  held: HeldInfra,
  progress: Progress,
  inBatch: boolean,
  outage: () => Outage | undefined,
): KeepingChanges {
  let isOver = false;
  let why = describeKeeping();
  const waits = () => !isOver && held.hasRecorded && waitsForStore() && !inBatch;
  return {
    waits,
    say({ trouble }) {
      why = describeKeeping(trouble);
      refreshDetails({ ...progress, status: 'running', waiting: why });
    },
    end() {
      isOver = true;
    },
    seen() {
      if (AT_WORK.includes(progress.status)) return progress;
      const away = outage();
      const waiting = away ? outageWords(away) : waits() ? why : undefined;
      return waiting === undefined ? progress : { ...progress, status: 'running', waiting };
    },
  };
}
