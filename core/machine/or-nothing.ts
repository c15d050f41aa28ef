import { ProvisioningError, TRANSIENT } from '../errors.js';

/** How often what was made is taken away, where the provider does not answer. */
const TRIES = 3;
const PAUSE_MS = 1_000;
const LONGEST_MS = 10_000;

interface Making<T> {
  make(): Promise<T>;
  /** Takes away what this call, or one before it by the same key, made; safe to repeat. */
  takeAway(): Promise<void>;
  /** Waits so many milliseconds. */
  pause(ms: number): Promise<unknown>;
}

/**
 * Makes something of several pieces. Where it is refused for good, the pieces made before
 * are taken away: nobody would know of them, and some are paid for. What is thrown is the
 * refusal, also where that cannot be done; a transient error is thrown as it is, since the next try uses the pieces.
 */
export async function createAtomically<T>({ make, takeAway, pause }: Making<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof ProvisioningError) || error.details.blame === TRANSIENT) throw error;
    for (let left = TRIES; left > 0; left--) {
      const problem = await takeAway().catch((second: unknown) => second ?? 'unknown');
      if (!(problem instanceof ProvisioningError) || problem.details.blame !== TRANSIENT || left === 1) break;
      await pause(Math.min(problem.details.retryAfterMs ?? PAUSE_MS, LONGEST_MS));
    }
    throw error;
  }
}
