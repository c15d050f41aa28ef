import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../../core/errors.js';
import { infraWorkflowId } from '../../../core/names.js';
import { eventually } from '../../support/operations.js';
import { rawTemporal } from '../../support/raw-temporal.js';
import type { Fault } from '../fault.js';
import type { Stage } from '../stage.js';
import { judgeWell, judgeWhole, prepare, SLOW, WORK_MS } from './demo-work.js';

/** Changes a running operation past the platform. `refusal` is Temporal's error. */
async function meddledWith(stage: Stage, meddle: (operation: string) => Promise<unknown>) {
  const work = await prepare(stage);
  await stage.account.behave({ latencyMs: SLOW });
  const operation = await stage.submit(work.wish);
  await hasBegun(stage, operation);
  await stage.later(WORK_MS);
  const refusal = await meddle(operation).then(() => undefined, messageOf);
  if (refusal !== undefined) stage.moment.push(`refused: ${refusal}`);
  stage.strike();
  return { work, operation, refusal };
}

/** Waits for the end of the first task, because a reset needs one. */
const hasBegun = (stage: Stage, operation: string) =>
  eventually(async () => {
    const events = await rawTemporal(stage.engine).history(operation);
    if (!events.some((event) => event.workflowTaskCompletedEventAttributes)) throw new Error(`${operation} has not begun`);
  });

type Event = Awaited<ReturnType<ReturnType<typeof rawTemporal>['history']>>[number];
/** Reports whether the event is an operation's signal that releases its lock. */
const saysRelease = ({ signalExternalWorkflowExecutionInitiatedEventAttributes: said }: Event) => said?.signalName === 'release';
/** Reports whether the event is the entity's receipt of that signal. */
const hearsRelease = ({ workflowExecutionSignaledEventAttributes: heard }: Event) => heard?.signalName === 'release';
/** Returns the time of an event in milliseconds since 1970. */
const timeOf = ({ eventTime }: Event) => Number(eventTime?.seconds) * 1_000 + (eventTime?.nanos ?? 0) / 1e6;

/**
 * Time in which the messages of a run that was reset arrive. The new run does nothing in its first 5 s. Milliseconds.
 */
const ARRIVED_MS = 1_000;

/**
 * Reports whether a run had released its lock. A run without anything to undo releases it by an activity. Then only
 * the entity's history has the signal.
 */
async function gaveBack({ engine, infra }: Stage, operation: string, runId: string): Promise<boolean> {
  const raw = rawTemporal(engine);
  const own = await raw.history(operation, runId);
  if (own.some(saysRelease)) return true;
  await sleep(ARRIVED_MS);
  const begun = Math.min(...own.map(timeOf));
  const heard = await raw.history(infraWorkflowId('default', infra));
  return heard.some((event) => hearsRelease(event) && timeOf(event) > begun);
}

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
      const { work, operation, refusal } = await meddledWith(stage, async (id) => {
        const { runId } = await stage.engine.temporal.workflow.getHandle(id).describe();
        await raw.reset(id, to);
        isOver = await gaveBack(stage, id, runId);
      });
      stage.demand(refusal === undefined, `the reset was refused: ${refusal}`);
      stage.moment.push(`to its ${to} task${isOver ? ', after its end' : ''}`);
      await stage.settled();
      const { status, error } = await stage.result(operation);
      const isRefused = isOver && error?.code === 'grant-lost' && error.hint?.includes('submit it again') === true;
      stage.demand(status === 'done' || isRefused, `${operation} ended ${status}: ${error?.why}`);
      // The plan does not contain the work before the second decision. Its effects are judged separately.
      await judgeWhole(stage, work);
    },
  },
  {
    name: 'terminate',
    about: "Temporal's *Terminate* or *Delete* of an operation at work: its lock comes free, and the next one does the rest",
    on: 'demo',
    async round(stage) {
      const isDeleted = stage.random() < 0.5;
      const { work, operation, refusal } = await meddledWith(stage, async (id) => {
        if (isDeleted) await rawTemporal(stage.engine).remove(id);
        else await stage.engine.temporal.workflow.getHandle(id).terminate('from outside');
      });
      stage.moment.push(isDeleted ? 'delete' : 'terminate');
      stage.demand(/^$|already completed/.test(refusal ?? ''), `it was refused: ${refusal}`);
      // A deleted operation cannot be queried.
      if (isDeleted) stage.operations.splice(stage.operations.indexOf(operation), 1);
      // Running activities learn of the end at their next heartbeat.
      await sleep(1_000);
      await stage.undisturbed(work.wish);
      await judgeWhole(stage, work);
    },
  },
  {
    name: 'pause-outside',
    about: "Temporal's *Pause* of an operation at work, which the engine refuses",
    on: 'demo',
    async round(stage) {
      const { work, refusal = 'nothing' } = await meddledWith(stage, (id) => rawTemporal(stage.engine).pause(id));
      stage.demand(/pause is not enabled/.test(refusal), `a pause was answered by ${refusal}`);
      await judgeWell(stage, work);
    },
  },
];
