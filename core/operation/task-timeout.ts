import type { OperationRequest } from './operation.js';

/** Temporal's own default, in milliseconds: after it a turn that a dead worker had begun is given to another one. */
const SHORTEST_MS = 10_000;
/** The longest that Temporal's server grants. */
const LONGEST_MS = 120_000;
/** A machine or a service is some 13 to 16 events (bench/large), which a processor that is shared by eight replays in about this time. */
const PER_THING_MS = 20;
/** Assumed number of machines and services if a request may concern all of an infra and does not say how many. */
const UNSAID = 1_000;

/**
 * Time limit of one turn of an operation, in milliseconds.
 *
 * A worker without the operation in memory replays its whole history within one turn. For thousands of machines, a
 * busy worker needs longer than Temporal's ten seconds, and would begin again and again. Small operations keep ten
 * seconds, because that is also the wait for a worker that was killed within a turn.
 */
export function taskTimeoutOf({ kind, intent, definition }: Pick<OperationRequest, 'kind' | 'intent' | 'definition'>): number {
  const isWhole = intent.verb === 'rollback' || (intent.verb === 'delete' && kind === 'cluster');
  const named = definition?.servers.reduce((things, { taskservs }) => things + 1 + taskservs.length, 0);
  const things = named ?? (isWhole ? UNSAID : 0);
  return Math.min(LONGEST_MS, SHORTEST_MS + PER_THING_MS * things);
}
