import { heartbeat, sleep } from '@temporalio/activity';
import { mapAtOnce } from '../../core/at-once.js';
import { infraWorkflowId } from '../../core/names.js';
import { isKept } from '../../stores/is-kept.js';
import type { Dependencies } from '../dependencies.js';
import { askGrant } from './grant-said.js';

/** A request for a lock that waits. */
export interface QueuedRequest {
  infra: string;
  operation: string;
}

export interface QueueWatch {
  workspace: string;
  queued: QueuedRequest[];
  /** First pause, in milliseconds; each further one is twice as long, up to five minutes. */
  everyMs: number;
  /** How long it watches, in milliseconds. */
  forMs: number;
}

/** The longest pause, in milliseconds. */
const LONGEST_MS = 5 * 60_000;

/** How many entities are asked at the same time. */
const AT_ONCE = 10;

type Watching = Pick<Dependencies, 'temporal' | 'feeds'>;

/**
 * Watches requests that wait for locks. It asks by queries, so that neither the history of the waiting workflow nor that
 * of the entity grows.
 *
 * @returns the operations whose request is worth repeating: the entity does not know it, or has granted it; none if the time is over
 */
export async function watchQueue(watching: Watching, { workspace, queued, everyMs, forMs }: QueueWatch): Promise<string[]> {
  const until = Date.now() + forMs;
  let rounds = 0;
  const ask = async (one: QueuedRequest): Promise<string | undefined> => {
    heartbeat();
    // The first round is complete: with two short watches, the second would get no further than the first.
    if (rounds > 0 && Date.now() >= until) return undefined;
    // Another try follows.
    return (await isWorthAsking(watching, workspace, one).catch(() => false)) ? one.operation : undefined;
  };
  for (let pause = everyMs; ; pause = Math.min(2 * pause, LONGEST_MS)) {
    await sleep(Math.min(pause, Math.max(0, until - Date.now())));
    const found = (await mapAtOnce(queued, AT_ONCE, ask)).flatMap((operation) => operation ?? []);
    if (found.length > 0 || Date.now() >= until) return found;
    rounds++;
  }
}

async function isWorthAsking(
  { temporal, feeds }: Watching,
  workspace: string,
  { infra, operation }: QueuedRequest,
): Promise<boolean> {
  const said = await askGrant(temporal, infraWorkflowId(workspace, infra), operation);
  if (!said) return false;
  if ('answer' in said) return said.answer !== 'waits';
  // An entity that has ended is not started again if the store knows its infra: then nothing is asked.
  return said.none === 'unable' || !(await isKept(feeds, { workspace, infra }));
}
