import type { Engine } from '../engine.js';
import { feedLog } from '../follow/feed-log.js';
import type { Pace } from '../follow/poll-loop.js';
import { followLog, SharedLog } from '../follow/shared-log.js';
import type { InfraEvent } from '../schemas/infra-event.js';

export const PACE: Pace = { firstMs: 0, everyMs: 1_000 };

interface Followed {
  workspace: string;
  /** Absent: all infras of the workspace. */
  infra?: string;
  after?: string | undefined;
}

/**
 * Streams the changes of an infra or a workspace after a cursor, until `signal` is aborted. All followers of the same
 * subject in this process share one reader of the feeds.
 *
 * @throws inputError `bad-cursor`
 */
export function followFeed(
  engine: Engine,
  { workspace, infra, after }: Followed,
  { signal, pace = PACE }: { signal?: AbortSignal; pace?: Pace },
): AsyncGenerator<InfraEvent> {
  const make = (onOver: () => void) => new SharedLog(feedLog(engine.stores.feeds, { workspace, infra }), { pace, onOver });
  return followLog(engine.stores.feeds, `feed ${JSON.stringify([workspace, infra])}`, { after, make, signal });
}
