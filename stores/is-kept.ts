import { ProvisioningError } from '../core/errors.js';
import { hasLife } from '../core/recovery/recovery.js';
import type { FeedStore } from './feeds.js';

/**
 * Whether the store knows an infra that was not deleted: an entity that is started for it without its feed would give away
 * what is there. A feed that is damaged counts as one.
 */
export async function isKept(feeds: Pick<FeedStore, 'read'>, place: { workspace: string; infra: string }): Promise<boolean> {
  try {
    return hasLife(place, await feeds.read(place));
  } catch (error) {
    if (error instanceof ProvisioningError && error.details.code === 'feed-damaged') return true;
    throw error;
  }
}
