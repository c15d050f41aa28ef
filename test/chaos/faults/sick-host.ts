import { sicknesses } from '../../support/sick-server.js';
import { type Beside, beginBeside } from '../beside.js';
import type { Fault } from '../fault.js';
import { NO_SSH, sickPlace } from '../sick-host.js';
import type { Stage } from '../stage.js';
import { inMidStep, judgeHosts, prepareHosts, submitOnHosts } from './host-work.js';

/** Maximum duration of a sickness that ends before the host is given up, in milliseconds. */
const SICK_MS = 6_000;
/** Maximum duration of an operation that meets a sick host, and of its roll-back, in milliseconds. */
const GIVEN_UP_MS = 240_000;

/** Checks that an operation that gave up its host reports it. The next operation repairs the host. */
async function judgeGivenUp(stage: Stage, operation: string, owes: boolean): Promise<boolean> {
  const { status, error, left = [] } = await stage.result(operation);
  if (status === 'done') return false;
  const said = [error ? `${error.on}: ${error.why}` : 'no error', ...left].join(' | ');
  stage.moment.push(status);
  stage.demand(['failed', 'rolled-back'].includes(status), `it ended ${status}`);
  stage.demand(/\ba \(root@[0-9.]+:\d+\)/.test(said), `the error does not name the host: ${said}`);
  stage.demand(!owes || left.length > 0, 'it could roll nothing back on its host, and names nothing that it left');
  return true;
}

export const sickHost: Fault[] = [
  {
    name: 'sick-host',
    about:
      'a host takes connections and is silent, closes them or sends garbage in the middle of a step; it heals, or does not in time',
    on: 'hosts',
    async round(stage) {
      const heals = stage.random() < 0.7;
      const onFailure = stage.pick(['keep', 'rollback'] as const);
      const sickness = stage.pick(sicknesses);
      stage.moment.push(sickness, heals ? 'heals' : `given up, ${onFailure}`);
      const work = await prepareHosts(stage);
      const place = await sickPlace(stage.infra, 'a', sickness);
      const operation = await submitOnHosts(stage, work, { onFailure });
      let beside: Beside;
      try {
        await inMidStep(stage, operation, NO_SSH);
        await place.fallSick();
        beside = await beginBeside(stage);
        // The other operation ends while the host is sick.
        await beside.settled();
        if (heals) await stage.later(SICK_MS);
        else await stage.settled(GIVEN_UP_MS);
      } finally {
        if (heals) stage.strike();
        await place.heal();
      }
      await beside.judge();
      await stage.settled(GIVEN_UP_MS);
      const again = await judgeGivenUp(stage, operation, !heals && onFailure === 'rollback');
      stage.demand(heals || again, 'it ended well on a host that was sick until then');
      await judgeHosts(stage, { ...work, operation: again ? await submitOnHosts(stage, work) : operation });
    },
  },
];
