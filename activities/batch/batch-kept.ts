import { sleep } from '@temporalio/activity';
import { ProvisioningError } from '../../core/errors.js';
import { type FeedState, isKeptUpTo } from '../../core/infra/feed-state.js';
import { infraWorkflowId } from '../../core/names.js';
import { BatchLedger } from '../../core/operation/batch-ledger.js';
import type { BatchOperation } from '../../core/schema/batch-request.js';
import type { Dependencies } from '../dependencies.js';
import type { FeedBacklog } from '../infra/feed.js';
import { ENTITY_ENDED, queryFeedState } from '../infra/feed-state-of.js';
import { forEachLimited, STARTS_AT_ONCE } from './each-of.js';

/** A batch whose operations are over. */
export interface BatchEnd {
  workspace: string;
  pages: string[];
  marks: string;
}

/** The first wait between two looks at an infra, in milliseconds; each further one is twice as long. */
const FIRST_WAIT_MS = 50;
/** The longest of them, in milliseconds. */
const LONGEST_WAIT_MS = 5_000;

/**
 * Waits until the store has everything that the infras of a batch had accepted so far. Returns the state of the first
 * infra that does not have it after the time limit, or when the worker must end.
 */
export async function awaitKeptBatch(
  sources: Pick<Dependencies, 'temporal' | 'stopping'>,
  operations: BatchOperation[],
  { workspace, marks }: Pick<BatchEnd, 'workspace' | 'marks'>,
  forMs: number,
): Promise<FeedBacklog> {
  const ledger = new BatchLedger(marks);
  const infras = new Set(operations.filter((_, index) => ledger.mark(index) !== 'waiting').map(({ infra }) => infra));
  const until = Date.now() + forMs;
  let missing: FeedBacklog;
  await forEachLimited([...infras], STARTS_AT_ONCE, async (infra) => {
    missing = (await untilInfraKept(sources, infraWorkflowId(workspace, infra), until)) ?? missing;
  });
  return missing;
}

async function untilInfraKept(
  { temporal, stopping }: Pick<Dependencies, 'temporal' | 'stopping'>,
  entity: string,
  until: number,
): Promise<FeedBacklog> {
  try {
    const first = await queryFeedState(temporal, entity);
    if (!first) return undefined;
    let state: FeedState | undefined = first;
    for (let wait = FIRST_WAIT_MS; state && !isKeptUpTo(state, first.last); wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      const left = until - Date.now();
      if (left <= 0 || stopping?.aborted) return state;
      await sleep(Math.min(wait, left));
      state = await queryFeedState(temporal, entity);
    }
  } catch (error) {
    // The other infras of the batch are still waited for.
    if (!(error instanceof ProvisioningError && error.details.code === ENTITY_ENDED)) throw error;
  }
  return undefined;
}
