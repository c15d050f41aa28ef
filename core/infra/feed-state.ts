/** Why the store does not have all changes of an infra. */
export interface FeedTrouble {
  /** ISO time. */
  since: string;
  why: string;
  /**
   * The store has a later state of the infra than its entity. The entity admits no operation until the infra is
   * recovered.
   */
  refused?: true;
}

/** How far the store has what an infra's entity has accepted. */
export interface FeedState {
  /** The number of the last change; 0: there was none. */
  last: number;
  /** Changes that are not kept yet. */
  waiting: number;
  /** The number up to which the store has all, as far as the present run of the entity appended it. */
  kept: number;
  /** For the queried grant: whether all its changes are stored. */
  keptOf?: boolean;
  trouble?: FeedTrouble;
}

/** Whether the store has the changes up to a number. */
export const isKeptUpTo = ({ kept, waiting }: FeedState, sequence: number): boolean => waiting === 0 || kept >= sequence;

/** Reason why an operation waits after its last step. */
export const describeKeeping = (trouble?: FeedTrouble): string =>
  trouble
    ? `waits until the store keeps what it did, which it does not since ${trouble.since}: ${trouble.why}`
    : 'waits until the store keeps what it did';
