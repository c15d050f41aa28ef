/** Why the store does not have all changes of an infra. */
export interface FeedTrouble {
  /** ISO time. */
  since: string;
  why: string;
  /** The store knows more of the infra than its entity does: nobody is admitted until the infra is recovered. */
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
  /** Of the grant that was asked about: whether all that was done under it is kept. */
  keptOf?: boolean;
  trouble?: FeedTrouble;
}

/** Whether the store has the changes up to a number. */
export const isKeptUpTo = ({ kept, waiting }: FeedState, sequence: number): boolean => waiting === 0 || kept >= sequence;

/** What an operation waits for that has done everything. */
export const describeKeeping = (trouble?: FeedTrouble): string =>
  trouble
    ? `waits until the store keeps what it did, which it does not since ${trouble.since}: ${trouble.why}`
    : 'waits until the store keeps what it did';
