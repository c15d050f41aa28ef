import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../fault.js';
import type { Stage } from '../stage.js';
import { judgeWell, prepare, SLOW, WORK_MS } from './demo-work.js';

/**
 * Longer than any look may work. A time-out by the clock would have given up by then. Seconds; CHAOS_AWAY_S overrides
 * it.
 */
const AWAY_S = 75;
const awayMs = () => Number(process.env.CHAOS_AWAY_S ?? AWAY_S) * 1_000;

/** Removes a component for a while during the work. It returns only after that time. */
async function away(stage: Stage, leave: () => Promise<void>): Promise<void> {
  const work = await prepare(stage);
  await stage.account.behave({ latencyMs: SLOW });
  await stage.submit(work.wish);
  await stage.later(WORK_MS);
  stage.moment.push(`${awayMs() / 1_000} s`);
  stage.strike();
  await leave();
  await stage.restart();
  await judgeWell(stage, work);
  for (const operation of stage.operations) await judgeNoRollBack(stage, operation);
}

/** Checks that nothing was rolled back on the way, even if the operation ended well. */
async function judgeNoRollBack(stage: Stage, operation: string): Promise<void> {
  const { control, left, status } = await stage.result(operation);
  stage.demand(status === 'done' && control.length === 0, `${operation} ended ${status}, after ${JSON.stringify(control)}`);
  stage.demand((left ?? []).length === 0, `${operation} left ${left?.join(', ')}`);
}

export const absences: Fault[] = [
  {
    name: 'worker-away',
    about: `kill -9 of the only worker, and none for ${AWAY_S} s`,
    on: 'demo',
    round: (stage) =>
      away(stage, async () => {
        await stage.engine.killWorker();
        await sleep(awayMs());
      }),
  },
  {
    name: 'all-away',
    about: `kill -9 of server and worker, and neither for ${AWAY_S} s: a reboot`,
    on: 'demo',
    round: (stage) =>
      away(stage, async () => {
        await Promise.all([stage.engine.killServer(), stage.engine.killWorker()]);
        await sleep(awayMs());
      }),
  },
  {
    name: 'suspended',
    about: `SIGSTOP of server and worker for ${AWAY_S} s: a lid that is closed`,
    on: 'demo',
    round: (stage) => away(stage, () => stage.engine.suspend(awayMs())),
  },
];
