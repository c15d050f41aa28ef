import {
  ActivityCancellationType,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  isCancellation,
  patched,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import {
  END_BY_CANCEL,
  END_BY_TIME,
  type TestEnvironment,
  type TestEnvironmentRequest,
} from '../../core/environment/test-environment.js';
import type { Controller } from '../../core/operation/control.js';
import { refuseBadRequest } from '../operation/checked-request.js';
import { createRefusal, describeFailure } from '../operation/failures.js';

const { removeEnvironment } = proxyActivities<Activities>({
  startToCloseTimeout: '15 minutes',
  patienceMs: 15 * 60_000,
  heartbeatTimeout: '15 s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/** Pause before a removal that failed is tried again, in milliseconds. */
const AGAIN_MS = 2 * 60_000;
/** So many tries take some weeks. */
const MOST_TRIES = 2_000;
/** Events of history after which the next try is made by a new run, where the request does not say. */
const CONTINUE_AFTER = 4_000;

export const endEnvironment = defineSignal<[Controller]>('endEnvironment');
/** It outlives the process that made it. */
export const keepEnvironment = defineSignal<[Controller]>('keepEnvironment');
export const environmentQuery = defineQuery<TestEnvironment>('environment');

/**
 * Keeps a test environment for its time, and removes it afterwards or on request, even if its creator is gone. Its
 * content is in its infra, as that of any other infra.
 */
export async function testEnvironment(asked: TestEnvironmentRequest): Promise<void> {
  refuseBadRequest('testEnvironment', asked);
  const { ttlMs, ending, former, continueAfter = CONTINUE_AFTER, ...request } = asked;
  const created = former ? new Date(former.created) : workflowInfo().startTime;
  const state: TestEnvironment = {
    ...request,
    created: created.toISOString(),
    expires: new Date(created.getTime() + ttlMs).toISOString(),
    ...(ending !== undefined && { ending }),
  };
  let asks = 0;
  setHandler(environmentQuery, () => state);
  setHandler(keepEnvironment, () => {
    delete state.owner;
  });
  setHandler(endEnvironment, ({ actor, why }) => {
    state.ending ??= `${why ?? 'removed'}, by ${actor}`;
    asks += 1;
  });
  try {
    await condition(() => state.ending !== undefined, ttlMs);
    state.ending ??= END_BY_TIME;
  } catch (error) {
    if (!isCancellation(error)) throw error;
    state.ending ??= END_BY_CANCEL;
  }
  const isFull = () => workflowInfo().continueAsNewSuggested || workflowInfo().historyLength > continueAfter;
  await CancellationScope.nonCancellable(async () => {
    const tried = await remove(state, former?.tries ?? 0, () => asks, isFull);
    if (tried === 'removed') return;
    await condition(allHandlersFinished);
    // `test env keep` has removed its owner.
    const { owner: _, ...others } = asked;
    const owner = state.owner && { owner: state.owner };
    const next = { created: state.created, tries: tried };
    await continueAsNew<typeof testEnvironment>({ ...others, ...owner, ending: state.ending, former: next });
  });
}

/**
 * @param tries number of attempts of former runs
 * @param asked number of requests so far: a repeated request does not wait for the next attempt
 * @param isFull whether the history has no room for another attempt
 * @returns the number of attempts after which a new run must continue
 */
async function remove(
  state: TestEnvironment,
  tries: number,
  asked: () => number,
  isFull: () => boolean,
): Promise<'removed' | number> {
  const { workspace, infra, actor, ending } = state;
  for (let attempt = tries + 1; attempt <= MOST_TRIES; attempt++) {
    const before = asked();
    try {
      const summary = `Remove the test environment ${infra}`;
      await removeEnvironment.executeWithOptions({ summary }, [{ workspace, infra, actor, attempt, ending }]);
      return 'removed';
    } catch (error) {
      state.failure = describeFailure(error, { step: 'remove', on: infra }).why;
    }
    await condition(() => asked() > before, AGAIN_MS);
    if (isFull() && patched('environment-goes-on')) return attempt;
  }
  const why = state.failure ?? 'it was tried too many times';
  throw createRefusal({ code: 'environment-not-removed', what: 'remove the test environment', on: infra, why });
}
