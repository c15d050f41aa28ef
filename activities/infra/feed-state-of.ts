import type { Client } from '@temporalio/client';
import { inputError } from '../../core/errors.js';
import type { FeedState } from '../../core/infra/feed-state.js';
import { askOpen } from '../ask-open.js';

/** State in Temporal's API of a completed workflow. An entity completes when it has nothing more to keep. */
const COMPLETED = 2;
/** The code of the error about one that was ended from outside. */
export const ENTITY_ENDED = 'entity-ended';

/**
 * State of an entity's feed. Undefined if nothing must be kept: it completed, or is of a former build.
 *
 * @param grant grant whose changes are queried
 * @throws inputError `entity-ended` if it was ended from outside: it keeps nothing any more
 * @throws unreachableError `engine-not-answering`
 */
export async function queryFeedState(temporal: Client, entity: string, grant?: number): Promise<FeedState | undefined> {
  const what = 'ask what the store has';
  const said = await askOpen<FeedState, [number | undefined]>(temporal, entity, what, 'feed', grant);
  if ('answer' in said) return said.answer;
  if (said.none !== 'closed' || said.status === COMPLETED) return undefined;
  const why = 'its workflow was terminated from outside, and state that the store did not have is lost';
  const hint = 'the next operation starts it again; provisioning infra recover shows the content of the store';
  throw inputError({ code: ENTITY_ENDED, what, on: entity, why, hint });
}
