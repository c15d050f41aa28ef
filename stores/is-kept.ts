import { ProvisioningError } from '../core/errors.js';
import { hasLife } from '../core/recovery/recovery.js';
import type { FeedStore } from './feeds.js';

/**
 * Returns whether the store has an infra that was not deleted. An entity that starts without this feed would abandon
 * existing resources. A damaged feed counts too.
 */
export async function isKept(feeds: Pick<FeedStore, 'read'>, place: { workspace: string; infra: string }): Promise<boolean> {
  try {
    return hasLife(place, await feeds.read(place));
  } catch (error) {
    if (error instanceof ProvisioningError && error.details.code === 'feed-damaged') return true;
    throw error;
  }
}
