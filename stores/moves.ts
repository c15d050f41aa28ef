import { type ProvisioningError, unreachableError } from '../core/errors.js';

/** State of a move from a store or to it. A store in use without a move has no such state. */
export interface StoreMove {
  /** `filling`: it is the target of a move that has not ended. `moved`: another store has taken its place. */
  state: 'filling' | 'moved';
  /** Id of the platform that moves. */
  setUp: string;
  /** Name of the other store, without its password. */
  other: string;
}

/** The marks of moves in a store. */
export interface StoreMoves {
  read(): Promise<StoreMove | undefined>;
  write(move: StoreMove | undefined): Promise<void>;
  /**
   * Refuses or delays all writes by others while `work` runs. The hold ends with this process, however that ends.
   *
   * @param work its argument makes the mark `moved` permanent, and throws if the hold was lost
   * @throws unreachableError `store-moved` if another process holds it
   */
  hold<T>(work: (commit: (move: StoreMove) => Promise<void>) => Promise<T>): Promise<T>;
}

/** A writer waits this long for the end of a hold, in milliseconds. */
export const HOLD_PATIENCE_MS = 120_000;
/** Pause between two looks, in milliseconds. */
export const HOLD_PAUSE_MS = 100;

/** Creates the error for a store that another store has replaced, or is replacing. */
export function createMovedError(on: string, { state, other }: Pick<StoreMove, 'state' | 'other'>): ProvisioningError {
  const what = 'use the store';
  const code = 'store-moved';
  if (state === 'filling')
    return unreachableError({
      code,
      what,
      on,
      why: `a move from ${other} to this store has not ended`,
      hint: 'run the same `provisioning store migrate` again',
    });
  return unreachableError({
    code,
    what,
    on,
    why: `its state has moved to ${other}`,
    hint: 'if the move was interrupted, run the same `provisioning store migrate` again; on another machine of the team set `store.url`, then run `provisioning up`',
  });
}

/** The error for a store that is held for longer than writers wait. */
export const createHeldError = (on: string, cause?: unknown): ProvisioningError =>
  unreachableError(
    {
      code: 'store-moved',
      what: 'write to the store',
      on,
      why: 'another process moves its state now',
      hint: 'wait for the end of `provisioning store migrate`, then try again',
    },
    { cause },
  );
