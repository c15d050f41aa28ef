import type { Keeping } from '../../../activities/infra/feed.js';
import { keepingWords } from '../../../core/infra/feed-state.js';
import { type Outage, outageWords } from '../../../core/infra/outage.js';
import type { OperationStatus, Progress } from '../../../core/operation/operation.js';
import { refreshDetails } from '../details.js';
import type { HeldInfra } from './held-infra.js';
import { waitsForStore } from './until-kept.js';

/** The wait for the store, at the end of an operation. */
export interface KeepingChanges {
  /** Whether the end is not told before the store has what was done. */
  waits(): boolean;
  /** Takes note of what keeps it waiting. */
  say(keeping: NonNullable<Keeping>): void;
  /** The store has all. */
  end(): void;
  /** Where the operation stands, as others are told: before its end is kept it is at work. */
  seen(): Progress;
}

const AT_WORK: readonly OperationStatus[] = ['queued', 'running', 'waiting', 'paused'];

/**
 * @param inBatch whether a batch waits in its place
 * @param outage what keeps it waiting if the store does not answer at all
 */
export function keepingChanges(
  held: HeldInfra,
  progress: Progress,
  inBatch: boolean,
  outage: () => Outage | undefined,
): KeepingChanges {
  let isOver = false;
  let why = keepingWords();
  const waits = () => !isOver && held.hasRecorded && waitsForStore() && !inBatch;
  return {
    waits,
    say({ trouble }) {
      why = keepingWords(trouble);
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
