import { heartbeat, sleep } from '@temporalio/activity';
import { infraWorkflowId } from '../../core/names.js';
import type { Dependencies } from '../dependencies.js';
import { grantSaid } from './grant-said.js';
import { isKept } from './is-kept.js';

/** A request for a lock that waits. */
export interface Queued {
  infra: string;
  operation: string;
}

export interface QueueWatched {
  workspace: string;
  queued: Queued[];
  /** First pause, in milliseconds; each further one is twice as long, up to five minutes. */
  everyMs: number;
  /** How long it watches, in milliseconds. */
  forMs: number;
}

/** The longest pause, in milliseconds. */
const LONGEST_MS = 5 * 60_000;

type Watching = Pick<Dependencies, 'temporal' | 'feeds'>;

/**
 * Watches requests that wait for locks. It asks by queries, so that neither the history of the waiting workflow nor that
 * of the entity grows.
 *
 * @returns the operations whose request is worth repeating: the entity does not know it, or has granted it; none if the time is over
 */
export async function watchQueue(watching: Watching, { workspace, queued, everyMs, forMs }: QueueWatched): Promise<string[]> {
  const until = Date.now() + forMs;
  for (let pause = everyMs; ; pause = Math.min(2 * pause, LONGEST_MS)) {
    await sleep(Math.min(pause, Math.max(0, until - Date.now())));
    const found: string[] = [];
    for (const one of queued) {
      heartbeat();
      // Another try follows.
      if (await isWorthAsking(watching, workspace, one).catch(() => false)) found.push(one.operation);
    }
    if (found.length > 0 || Date.now() >= until) return found;
  }
}

async function isWorthAsking({ temporal, feeds }: Watching, workspace: string, { infra, operation }: Queued): Promise<boolean> {
  const said = await grantSaid(temporal, infraWorkflowId(workspace, infra), operation);
  if (!said) return false;
  if ('answer' in said) return said.answer !== 'waits';
  // An entity that has ended is not started again if the store knows its infra: then nothing is asked.
  return said.none === 'unable' || !(await isKept(feeds, { workspace, infra }));
}
