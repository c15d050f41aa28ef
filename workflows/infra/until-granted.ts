import { condition, patched, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import type { Grant, Lock } from '../../core/infra/lock.js';
import type { LockRequest } from '../../core/operation/operation.js';
import type {} from '../fence.js';
import { mayPass } from '../near-or-queued.js';
import { firstPause, NEAR_REQUESTS, nextPause } from './ask-again-pause.js';
import { queueWatches, WATCH_MS, watchUnless } from './queue-watch.js';

/** One short try: it takes a place for workflow tasks, and the next pause ends with another one. */
const { askAgain } = proxyLocalActivities<Activities>({ startToCloseTimeout: '20 s', retry: { maximumAttempts: 1 } });

/** A request for locks, and how it is repeated. */
export interface WaitingRequest {
  workspace: string;
  infra: string;
  request: LockRequest;
  /** Whether an entity may be started if it is missing and the store knows nothing of the infra. */
  starts: boolean;
  /** The first pause before the request is repeated, in milliseconds. Default 30,000. */
  firstMs?: number;
  under(): Lock;
  /** The grant, once it came by the signal `granted`. */
  given(): Grant | undefined;
}

/**
 * Waits until the entity of an infra grants a request. The entity may be replaced in the meantime, and the new one does
 * not know the requests of the former one: the request is repeated, with a growing pause. After some repetitions the worker
 * watches the queue, and the request is repeated when it is worth it.
 *
 * @returns the grant; undefined if the entity has ended and none may be started
 */
export async function waitUntilGranted({ under, given, firstMs, ...asked }: WaitingRequest): Promise<Grant | undefined> {
  const isGiven = () => given() !== undefined;
  if (isGiven()) return given();
  // Former runs wait only for the signal.
  if (!patched('ask-infra-again')) {
    await condition(isGiven);
    return given();
  }
  const { workspace, infra, request } = asked;
  const watch = (everyMs: number) =>
    queueWatches.watchQueue.executeWithOptions({ under }, [
      { workspace, queued: [{ infra, operation: request.operation }], everyMs, forMs: WATCH_MS },
    ]);
  let requests = 0;
  for (let pause = firstPause(firstMs); ; pause = nextPause(pause, workflowInfo().historyLength)) {
    if (requests++ >= NEAR_REQUESTS && patched('watch-queue')) {
      await watchUnless(isGiven, () => watch(pause)).catch(unlessRefused);
      if (isGiven()) return given();
    } else if (await condition(isGiven, pause)) return given();
    const answer = await askAgain.executeWithOptions({ under }, [asked]).catch(unlessRefused);
    if (isGiven()) return given();
    if (typeof answer === 'object') return answer;
    if (answer === 'absent' && !asked.starts) return undefined;
  }
}

/** A refusal for good ends the wait. Everything else passes: the next pause ends with another try. */
function unlessRefused(error: unknown): undefined {
  if (!mayPass(error)) throw error;
}
