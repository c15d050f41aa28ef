import { expect, test } from 'vitest';
import { waitsForWorkerSince } from './waits-for-worker.js';

const NOW = 1_800_000_000_000;
/** Returns a time after a number of seconds from now, in the format of Temporal's API. */
const at = (seconds: number) => ({ seconds: NOW / 1_000 + seconds }) as never;
const SCHEDULED = 1;
const STARTED = 2;

test.each([
  ['nothing is pending', {}, undefined],
  ['an activity is at work', { pendingActivities: [{ state: STARTED, scheduledTime: at(-60) }] }, undefined],
  ['an activity was just scheduled', { pendingActivities: [{ state: SCHEDULED, scheduledTime: at(-2) }] }, undefined],
  ['an activity waits', { pendingActivities: [{ state: SCHEDULED, scheduledTime: at(-60) }] }, -60],
  [
    'the next attempt is still to come',
    { pendingActivities: [{ state: SCHEDULED, scheduledTime: at(-60), nextAttemptScheduleTime: at(3) }] },
    undefined,
  ],
  [
    'the next attempt was due',
    { pendingActivities: [{ state: SCHEDULED, scheduledTime: at(-60), nextAttemptScheduleTime: at(-30) }] },
    -30,
  ],
  ['the workflow itself waits', { pendingWorkflowTask: { state: SCHEDULED, scheduledTime: at(-90) } }, -90],
  [
    'the first of several counts',
    {
      pendingWorkflowTask: { state: SCHEDULED, scheduledTime: at(-20) },
      pendingActivities: [{ state: SCHEDULED, scheduledTime: at(-40) }],
    },
    -40,
  ],
])('%s', (_, raw, seconds) => {
  expect(waitsForWorkerSince(raw as never, NOW)?.getTime()).toBe(seconds === undefined ? undefined : NOW + seconds * 1_000);
});
