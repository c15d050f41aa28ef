import type { OperationRequest } from './operation.js';

/** Temporal's own default, in milliseconds: after it a turn that a dead worker had begun is given to another one. */
const SHORTEST_MS = 10_000;
/** The longest that Temporal's server grants. */
const LONGEST_MS = 120_000;
/** A machine or a service is some 13 to 16 events (bench/large), which a processor that is shared by eight replays in about this time. */
const PER_THING_MS = 20;
/** Machines and services of what may be all of an infra, and does not say how many those are. */
const UNSAID = 1_000;

/**
 * How long one turn of an operation may take, in milliseconds. A worker that does not have the operation in memory
 * replays all its history within one; of thousands of machines a busy worker needs longer than Temporal's ten seconds,
 * after which it would begin again and again. What is small keeps those: a worker that was killed within a turn is
 * waited for as long.
 */
export function taskTimeoutOf({ kind, intent, definition }: Pick<OperationRequest, 'kind' | 'intent' | 'definition'>): number {
  const isWhole = intent.verb === 'rollback' || (intent.verb === 'delete' && kind === 'cluster');
  const named = definition?.servers.reduce((things, { taskservs }) => things + 1 + taskservs.length, 0);
  const things = named ?? (isWhole ? UNSAID : 0);
  return Math.min(LONGEST_MS, SHORTEST_MS + PER_THING_MS * things);
}
