import { setTimeout as sleep } from 'node:timers/promises';
import { rawTemporal } from '../../support/raw-temporal.js';
import type { Fault } from '../fault.js';
import { judgeAccount, judgeInventory, judgeOperations } from '../judge.js';
import type { Stage } from '../stage.js';
import { judgeWell, prepare, SLOW, WORK_MS } from './demo-work.js';

/** What somebody does past the platform to an operation in the middle of its work. */
async function meddledWith(stage: Stage, meddle: (operation: string) => Promise<unknown>) {
  const work = await prepare(stage);
  await stage.account.behave({ latencyMs: SLOW });
  const operation = await stage.submit(work.wish);
  await stage.later(WORK_MS);
  const done = await meddle(operation).then(
    () => true,
    (error: unknown) => {
      stage.moment.push(`refused: ${String(error)}`);
      return false;
    },
  );
  stage.strike();
  return { work, operation, done };
}

type Event = Awaited<ReturnType<ReturnType<typeof rawTemporal>['history']>>[number];
/** Says that an operation has given its lock back. */
const saysRelease = ({ signalExternalWorkflowExecutionInitiatedEventAttributes: said }: Event) => said?.signalName === 'release';

export const outside: Fault[] = [
  {
    name: 'reset',
    about:
      "Temporal's *Reset* of an operation at work, to its first or to its last task: it goes on under its lock; one that has given that back does nothing",
    on: 'demo',
    async round(stage) {
      const raw = rawTemporal(stage.engine);
      const to = stage.pick(['first', 'last'] as const);
      let isOver = false;
      const { work, operation } = await meddledWith(stage, async (id) => {
        const { runId } = await stage.engine.temporal.workflow.getHandle(id).describe();
        await raw.reset(id, to);
        isOver = (await raw.history(id, runId)).some(saysRelease);
      });
      stage.moment.push(`to its ${to} task${isOver ? ', after its end' : ''}`);
      await stage.settled();
      const { status, error } = await stage.result(operation);
      const isRefused = isOver && error?.code === 'grant-lost';
      stage.demand(status === 'done' || isRefused, `${operation} ended ${status}: ${error?.why}`);
      // What it did before it decided again is not in its plan: its effects are judged by themselves.
      await judgeOperations(stage);
      await judgeAccount(stage);
      await judgeInventory(stage, work.wanted);
    },
  },
  {
    name: 'terminate',
    about: "Temporal's *Terminate* or *Delete* of an operation at work: its lock comes free, and the next one does the rest",
    on: 'demo',
    async round(stage) {
      const isDeleted = stage.random() < 0.5;
      const { work, operation } = await meddledWith(stage, async (id) => {
        if (isDeleted) await rawTemporal(stage.engine).remove(id);
        else await stage.engine.temporal.workflow.getHandle(id).terminate('from outside');
      });
      stage.moment.push(isDeleted ? 'delete' : 'terminate');
      // Of one that is not there any more nothing can be asked.
      if (isDeleted) stage.operations.splice(stage.operations.indexOf(operation), 1);
      // Activities that were under way hear of the end with their next sign of life.
      await sleep(1_000);
      await stage.undisturbed(work.wish);
      await judgeOperations(stage);
      await judgeAccount(stage);
      await judgeInventory(stage, work.wanted);
    },
  },
  {
    name: 'pause-outside',
    about: "Temporal's *Pause* of an operation at work, which the engine refuses unless it was told to allow it",
    on: 'demo',
    async round(stage) {
      const { work, operation, done } = await meddledWith(stage, (id) => rawTemporal(stage.engine).pause(id));
      if (done) {
        await stage.later(3_000);
        await rawTemporal(stage.engine).unpause(operation);
      }
      await judgeWell(stage, work);
    },
  },
];
