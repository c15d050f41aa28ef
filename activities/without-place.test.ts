import { activityInfo, CompleteAsyncError, Context, cancellationSignal, heartbeat, type Info, sleep } from '@temporalio/activity';
import { ActivityCancelledError, ActivityNotFoundError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { expect, test, vi } from 'vitest';
import { activityEnvironment } from '../test/support/activity-environment.js';
import { releasePlaces } from './without-place.js';

/** Runs work as an activity of this type; answers once its place is free, and what Temporal was told by then and later. */
async function begun(
  work: () => Promise<unknown>,
  { type = 'watchHolders', beats = [] as Error[], more = {} as Partial<Info> } = {},
) {
  const told: unknown[][] = [];
  const say =
    (verb: string) =>
    async (...what: unknown[]) =>
      void told.push([verb, ...what.slice(1)]);
  const completions = {
    complete: say('complete'),
    fail: say('fail'),
    reportCancellation: say('reportCancellation'),
    async heartbeat(_: unknown, details: unknown) {
      told.push(['heartbeat', details]);
      const error = beats.shift();
      if (error) throw error;
    },
  };
  const stopping = new AbortController();
  const waits = releasePlaces(completions as never, 'here', stopping.signal);
  const environment = activityEnvironment({ activityType: type, activityId: '5', heartbeatTimeoutMs: 30, ...more });
  const answer = await environment
    .run(async () => {
      const { inbound } = waits.interceptor(Context.current()) as {
        inbound: { execute(input: object, next: () => unknown): unknown };
      };
      return inbound.execute({ args: [], headers: {} }, work);
    })
    .catch((error: unknown) => error);
  return { answer, told, waits, stopping };
}

const place = { serializationContext: expect.objectContaining({ type: 'activity', namespace: 'here', activityId: '5' }) };

test('what only waits gives its place back at once, and answers later', async () => {
  let end = (_: string) => {};
  const { answer, told, waits } = await begun(async () => {
    const said = await new Promise<string>((resolve) => {
      end = resolve;
    });
    return `${said} of ${activityInfo().activityType}`;
  });
  expect(answer).toBeInstanceOf(CompleteAsyncError);
  expect(waits.size).toBe(1);
  end('the end');
  await waits.ended();
  expect(told.filter(([verb]) => verb !== 'heartbeat')).toEqual([['complete', 'the end of watchHolders', place]]);
  expect(waits.size).toBe(0);
});

test('all others keep their place, and local activities do', async () => {
  const work = async () => 'done';
  expect((await begun(work, { type: 'act' })).answer).toBe('done');
  expect((await begun(work, { more: { isLocal: true } })).answer).toBe('done');
});

test('its signs of life carry what it said last', async () => {
  const { told, waits } = await begun(async () => {
    heartbeat({ at: 7 });
    await vi.waitFor(() => expect(told_().length).toBeGreaterThan(1), 10_000);
  });
  const told_ = () => told.filter(([verb]) => verb === 'heartbeat');
  await waits.ended();
  expect(told_()[0]).toEqual(['heartbeat', { at: 7 }]);
});

test('a failure is reported as a failure', async () => {
  const failure = ApplicationFailure.nonRetryable('no', 'refused');
  const { told, waits } = await begun(async () => {
    throw failure;
  });
  await waits.ended();
  expect(told).toEqual([['fail', failure, place]]);
});

test.each([
  ['a cancel ends it', new ActivityCancelledError('canceled'), ['reportCancellation']],
  ['it ends if Temporal does not want it any more', new ActivityNotFoundError('gone'), []],
])('%s', async (_, heard, verbs) => {
  const { told, waits } = await begun(() => sleep(600_000), { beats: [heard] });
  await waits.ended();
  expect(told.map(([verb]) => verb).filter((verb) => verb !== 'heartbeat')).toEqual(verbs);
});

test('a worker that has to end hands it back', async () => {
  const { told, waits, stopping } = await begun(
    () => new Promise((_, reject) => cancellationSignal().addEventListener('abort', () => reject(new Error('aborted')))),
  );
  stopping.abort();
  await waits.ended();
  expect(told.at(-1)).toEqual(['fail', expect.objectContaining({ type: 'worker-ended', nonRetryable: false }), place]);
});
