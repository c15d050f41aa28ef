import { setTimeout as sleep } from 'node:timers/promises';
import { infraWorkflowId } from '../../../core/names.js';
import { startTestEngine } from '../../support/engine.js';
import { eventually } from '../../support/operations.js';
import { rawTemporal } from '../../support/raw-temporal.js';
import { waitOnAll } from '../../support/waiting-infras.js';
import type { Fault } from '../fault.js';
import type { Stage } from '../stage.js';
import { changeAll, makeAll } from '../work.js';
import { judgeWell, judgeWhole, prepare, SLOW, WORK_MS } from './demo-work.js';

/** Places of the worker in `all-places-taken`, and number of infras with a waiting operation. */
const PLACES = 5;
const INFRAS = 12;

/** Starts a refresh, which waits in the infra's queue like operations. */
async function refreshInQueue({ engine, infra }: Stage): Promise<() => Promise<unknown>> {
  const workflowId = `refresh-${infra}`;
  const args = [{ workspace: 'default', infra, actor: 'chaos', record: true, askAgainMs: 300 }];
  await engine.temporal.workflow.start('refresh', { workflowId, taskQueue: engine.taskQueue, args });
  return () => engine.temporal.workflow.getHandle(workflowId).result();
}

export const queues: Fault[] = [
  {
    name: 'entity-ended-while-queued',
    about:
      "Temporal's *Terminate* or *Delete* of an infra's entity while one operation works and others wait in its queue: after `infra recover` all that waited go on",
    on: 'demo',
    async round(stage) {
      const { engine, infra } = stage;
      const work = await prepare(stage, changeAll(infra));
      const client = await engine.client();
      await stage.account.behave({ latencyMs: SLOW });
      const holder = await stage.submit(work.wish);
      await eventually(async () => {
        const { holders } = await client.infras.locks({ workspace: 'default', infra });
        if (holders.length === 0) throw new Error('no operation has the lock');
      });
      const next = await stage.submit({ ...work.wish, timing: { askAgainMs: stage.draw(200, 1_000) } });
      const refreshed = await refreshInQueue(stage);
      await stage.later(WORK_MS);
      const entity = infraWorkflowId('default', infra);
      const isDeleted = stage.random() < 0.5;
      stage.moment.push(isDeleted ? 'delete' : 'terminate');
      if (isDeleted) await rawTemporal(engine).remove(entity);
      else await engine.temporal.workflow.getHandle(entity).terminate('from outside');
      stage.strike();
      // Running activities learn of the end at their next heartbeat.
      await sleep(2_000);
      await client.infras.recover({ workspace: 'default', infra });
      await stage.settled();
      const { status, error } = await stage.result(next);
      // An operation that had not reached the queue says what to do. It did not create a new infra.
      const isRefused = error?.code === 'infra-lost' && error.hint?.includes(`infra recover ${infra}`) === true;
      stage.demand(status === 'done' || isRefused, `${next} waited, and ended ${status}: ${error?.why}`);
      if (isRefused) await stage.undisturbed(work.wish);
      const first = await stage.result(holder);
      // The first operation had ended, or reports what it could not record in its infra.
      stage.demand(first.status === 'done' || first.error !== undefined, `${holder} ended ${first.status} without an error`);
      await refreshed();
      await judgeWhole(stage, work);
    },
  },
  {
    name: 'all-places-taken',
    about: `operations wait on ${INFRAS} infras, and the worker has ${PLACES} places: an apply of another infra goes on as usual`,
    on: 'demo',
    engine: () => startTestEngine({ PROVISIONING_WORKER_CONCURRENCY: String(PLACES) }),
    async round(stage) {
      await waitOnAll(
        stage.engine,
        Array.from({ length: INFRAS }, (_, index) => `${stage.infra}-${index}`),
      );
      const work = await prepare(stage, makeAll(stage.infra));
      await stage.later(WORK_MS);
      await stage.submit(work.wish);
      await judgeWell(stage, work);
    },
  },
];
