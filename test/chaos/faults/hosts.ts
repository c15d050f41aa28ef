import type { Fault } from '../fault.js';
import type { Stage } from '../stage.js';
import { beginOnHosts, inMidStep, judgeHosts } from './host-work.js';

/** Ends a component in the middle of a step on a host, and restarts it. */
async function interrupted(stage: Stage, end: () => Promise<void>): Promise<void> {
  const begun = await beginOnHosts(stage);
  await inMidStep(stage, begun.operation);
  await end();
  stage.strike();
  await stage.restart();
  await judgeHosts(stage, begun);
}

/** Kills the connections of SSH sessions from outside. */
export const CUT = "pkill -KILL -c -f '^sshd: root@'";

export const hosts: Fault[] = [
  {
    name: 'host-worker-kill',
    about: 'kill -9 of the worker in the middle of a step on a host',
    on: 'hosts',
    round: (stage) => interrupted(stage, () => stage.engine.killWorker()),
  },
  {
    name: 'host-worker-term',
    about: 'SIGTERM of the worker in the middle of a step on a host',
    on: 'hosts',
    round: (stage) => interrupted(stage, async () => void (await stage.engine.termWorker())),
  },
  {
    name: 'host-server-kill',
    about: "kill -9 of Temporal's server in the middle of a step on a host",
    on: 'hosts',
    round: (stage) => interrupted(stage, () => stage.engine.killServer()),
  },
  {
    name: 'ssh-cut',
    about: 'every SSH connection of a host cut in the middle of a script',
    on: 'hosts',
    async round(stage) {
      const begun = await beginOnHosts(stage);
      const said = await inMidStep(stage, begun.operation, CUT);
      stage.strike();
      stage.demand(/^[1-9]/.test(said), 'there was no connection to cut');
      await judgeHosts(stage, begun);
    },
  },
];
