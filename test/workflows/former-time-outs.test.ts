import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { dropFormerTimeouts } from '../../workers/former-time-outs.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { rawTemporal } from '../support/raw-temporal.js';

/** SCHEDULE_ACTIVITY_TASK of Temporal's API. */
const SCHEDULE_ACTIVITY = 1;
const GIVEN_S = 4;

let engine: TestEngine;
withDemoEngine((started) => {
  engine = started;
});

test('a pending activity of a former version loses the time-out that counts while nobody works', async () => {
  const { temporal } = engine;
  const { namespace } = temporal.options;
  const service = temporal.workflowService;
  const queue = `nobody-${randomUUID()}`;
  const raw = rawTemporal({ temporal, taskQueue: queue });
  const workflowId = `former-${randomUUID()}`;
  await raw.start('cluster', workflowId, []);
  const task = await temporal.connection.withDeadline(Date.now() + 20_000, () =>
    service.pollWorkflowTaskQueue({ namespace, taskQueue: { name: queue }, identity: 'former' }),
  );
  const seconds = (count: number) => ({ seconds: count as unknown as Long });
  const attributes = (activityId: string, more: object) => ({
    commandType: SCHEDULE_ACTIVITY,
    scheduleActivityTaskCommandAttributes: {
      activityId,
      activityType: { name: 'act' },
      taskQueue: { name: queue },
      startToCloseTimeout: seconds(60),
      ...more,
    },
  });
  await service.respondWorkflowTaskCompleted({
    namespace,
    taskToken: task.taskToken,
    identity: 'former',
    commands: [attributes('1', { scheduleToCloseTimeout: seconds(GIVEN_S) }), attributes('2', {})],
  });
  const { runId } = await temporal.workflow.getHandle(workflowId).describe();
  const began = (version: number) => [{ workflowId, runId, version }];
  // Workflows of this version have no former time-out and are skipped.
  expect(await dropFormerTimeouts(temporal, began(2))).toBe(0);
  expect(await dropFormerTimeouts(temporal, began(1))).toBe(1);
  expect(await dropFormerTimeouts(temporal, began(1))).toBe(0);
  await sleep((GIVEN_S + 3) * 1_000);
  const { pendingActivities } = await service.describeWorkflowExecution({ namespace, execution: { workflowId } });
  expect(pendingActivities?.map(({ activityId }) => activityId).sort()).toEqual(['1', '2']);
  await temporal.workflow.getHandle(workflowId).terminate();
});
