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
 * Creates a resource of several pieces. After a permanent refusal, the pieces are removed, because they would be
 * unknown and some are billed. It throws the refusal, even if the removal fails. A transient error is thrown
 * unchanged, because the next attempt uses the pieces.
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
