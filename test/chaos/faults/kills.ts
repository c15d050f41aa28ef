import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../fault.js';
import type { Stage } from '../stage.js';
import { judgeWell, prepare, SLOW, WORK_MS } from './demo-work.js';

/** Ends a component while an operation runs, and restarts it. */
async function interrupted(stage: Stage, end: () => Promise<void>): Promise<void> {
  const work = await prepare(stage);
  await stage.account.behave({ latencyMs: SLOW });
  await stage.submit(work.wish);
  await stage.later(WORK_MS);
  await end();
  stage.strike();
  await stage.restart();
  await judgeWell(stage, work);
}

/** An API that acts and then does not answer: the effect exists, but is not reported. */
const SILENT = {
  make: ['networks.create', 'servers.create', 'host.step'],
  change: ['servers.create', 'host.step'],
  delete: ['servers.delete', 'networks.delete'],
} as const;

/** SIGTERM lets current activities end for 10 s. The rest of the shutdown needs a little more. */
const GRACE_MS = 15_000;

export const kills: Fault[] = [
  {
    name: 'worker-kill',
    about: 'kill -9 of the only worker in the middle of the work',
    on: 'demo',
    round: (stage) => interrupted(stage, () => stage.engine.killWorker()),
  },
  {
    name: 'worker-kill-report',
    about: 'kill -9 of the worker between the success of an API and its report',
    on: 'demo',
    async round(stage) {
      const work = await prepare(stage);
      const verb = stage.pick(SILENT[stage.moment[0] as keyof typeof SILENT]);
      stage.moment.push(`after ${verb}`);
      const { length } = (await stage.account.read()).effects;
      await stage.account.behave({ latencyMs: SLOW, failures: [{ verb, error: 'silence' }] });
      await stage.submit(work.wish);
      while (!(await stage.account.read()).effects.slice(length).some((effect) => effect.verb === verb)) await sleep(5);
      await stage.engine.killWorker();
      stage.strike();
      await stage.restart();
      await judgeWell(stage, work);
    },
  },
  {
    name: 'worker-term',
    about: 'SIGTERM of the worker, which ends the current activities, and a restart',
    on: 'demo',
    round: (stage) =>
      interrupted(stage, async () => {
        const took = await stage.engine.termWorker();
        stage.demand(took < GRACE_MS, `the worker took ${Math.round(took)} ms to end`);
      }),
  },
  {
    name: 'server-kill',
    about: "kill -9 of Temporal's server and its restart on its file",
    on: 'demo',
    round: (stage) =>
      interrupted(stage, async () => {
        await stage.engine.killServer();
        stage.strike();
        await stage.later(1_000);
      }),
  },
  {
    name: 'power-cut',
    about: 'kill -9 of server and worker at once, and a restart of both',
    on: 'demo',
    round: (stage) =>
      interrupted(stage, async () => {
        await Promise.all([stage.engine.killServer(), stage.engine.killWorker()]);
      }),
  },
];
