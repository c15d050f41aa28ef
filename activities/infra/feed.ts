import { heartbeat } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { messageOf, ProvisioningError, unreachableError } from '../../core/errors.js';
import type { FeedEntry } from '../../core/infra/feed.js';
import type { FeedState } from '../../core/infra/feed-state.js';
import type { InventoryChange } from '../../core/infra/inventory.js';
import { infraWorkflowId } from '../../core/names.js';
import type { FeedOwner } from '../../stores/feeds.js';
import { beatWhile } from '../beating.js';
import type { Dependencies } from '../dependencies.js';
import { queryFeedState } from './feed-state-of.js';
import { KeptChanges } from './kept-changes.js';

/** Changes that an operation reported to its infra. */
export interface ToldChanges {
  entity: string;
  grant: number;
  /** How many changes, all together. */
  told: number;
}

/** Entries that the store lacks. */
export type FeedBacklog = FeedState | undefined;

/** The first wait for what this worker itself appends, in milliseconds; each further one is twice as long. */
const FIRST_WAIT_MS = 100;
/** The longest of them, in milliseconds. */
const LONGEST_WAIT_MS = 5_000;

/** Activities about the store of feeds, for entities of infras and for operations that wait for it. */
export function createFeedActivities({ feeds, temporal, stopping }: Pick<Dependencies, 'feeds' | 'temporal' | 'stopping'>) {
  const kept = new KeptChanges();

  /** Waits at most so long until the store has what was told; answers how it stands where it has not. */
  async function untilKept({ entity, grant, told }: ToldChanges, forMs: number): Promise<FeedBacklog> {
    const until = Date.now() + forMs;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      if (await kept.until(entity, grant, told, Math.min(wait, Math.max(0, until - Date.now())))) return undefined;
      // Another worker may have appended it, or nothing of it was accepted.
      const state = await queryFeedState(temporal, entity, grant);
      if (!state || state.keptOf) return undefined;
      if (Date.now() >= until || stopping?.aborted) return state;
      heartbeat();
    }
  }

  return {
    /** Appends to the feed of an infra. Refused for good: `feed-conflict`, `feed-gap`. */
    async appendFeed({ entries, ...owner }: FeedOwner & { entries: FeedEntry[] }): Promise<void> {
      await storing('append to the feed', owner.infra, () => beatWhile(() => feeds.append(owner, entries)));
      kept.note(infraWorkflowId(owner.workspace, owner.infra), owner.uuid, entries);
    },

    /** Fails, and is tried again, as long as nothing can be appended to feeds, or to this one. */
    async awaitFeed(owner?: FeedOwner): Promise<void> {
      try {
        await feeds.check(owner);
      } catch (error) {
        throw unwritable('write to the feeds', owner?.infra, error);
      }
    },

    /**
     * Gives a grant back, and waits until the store has what was done under it; answers how it stands where it has not
     * after so long. The same once more changes nothing.
     */
    async endGrant({ changes, forMs, ...told }: ToldChanges & { changes: InventoryChange[]; forMs: number }): Promise<FeedBacklog> {
      const { entity, grant } = told;
      try {
        await temporal.workflow.getHandle(entity).signal('release', { grant, changes });
      } catch (error) {
        // The receiver does not exist any more.
        if (error instanceof WorkflowNotFoundError) return undefined;
        throw error;
      }
      return forMs > 0 ? untilKept(told, forMs) : undefined;
    },

    /**
     * Waits until the store has what an operation did; answers how it stands where it has not after so long.
     *
     * @param known since when something was wrong, or an empty text: as long as that is all, it fails, and is tried again
     */
    async awaitKept({ forMs, known, ...told }: ToldChanges & { forMs: number; known?: string }): Promise<FeedBacklog> {
      const keeping = await untilKept(told, forMs);
      if (isNews(keeping, known)) return keeping;
      throw stillUnkept(keeping, told.entity);
    },
  };
}

/** Whether the answer says more than the workflow knows. @param known since when something was wrong, or an empty text */
export const isNews = (keeping: FeedBacklog, known?: string): boolean =>
  !keeping || known === undefined || known !== (keeping.trouble?.since ?? '');

/** Error that Temporal's server retries without an event in the history. */
export const stillUnkept = (keeping: FeedBacklog, on: string): ProvisioningError =>
  unreachableError({
    ...{ code: 'store-unreachable', what: 'keep what was done', on },
    why: keeping?.trouble?.why ?? 'the store takes too long',
  });

async function storing(what: string, on: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ProvisioningError) throw error;
    throw unwritable(what, on, error);
  }
}

const unwritable = (what: string, on: string | undefined, error: unknown) =>
  unreachableError(
    {
      code: 'store-unreachable',
      what,
      ...(on !== undefined && { on }),
      why: messageOf(error),
      hint: 'free disk space, or make the store writable for the worker: the operation retries',
    },
    { cause: error },
  );
