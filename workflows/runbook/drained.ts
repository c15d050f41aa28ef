import { NotBegun } from '../operation/failures.js';

/**
 * Runs side by side and waits for all, also when one fails: a roll-back must not meet work in flight.
 * Throws the first failure; what had not begun when the operation stopped does not say why.
 */
export async function runDrained(work: (() => Promise<void>)[]): Promise<void> {
  const outcomes = await Promise.allSettled(work.map((one) => one()));
  const failed = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as unknown);
  if (failed.length > 0) throw failed.find((reason) => !(reason instanceof NotBegun)) ?? failed[0];
}
