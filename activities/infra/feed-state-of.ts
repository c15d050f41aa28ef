import { type Client, QueryNotRegisteredError, WorkflowNotFoundError } from '@temporalio/client';
import type { FeedState } from '../../core/infra/feed-state.js';

/**
 * How the feed of an entity stands; undefined where there is no entity any more: it ends with nothing to keep.
 *
 * @param grant of which it is asked whether all is kept that was done under it
 */
export async function feedStateOf(temporal: Client, entity: string, grant?: number): Promise<FeedState | undefined> {
  try {
    return await temporal.workflow.getHandle(entity).query<FeedState, [number | undefined]>('feed', grant);
  } catch (error) {
    // A worker of a former build, which a fleet may have for a while, writes none.
    if (error instanceof WorkflowNotFoundError || error instanceof QueryNotRegisteredError) return undefined;
    throw error;
  }
}
