import { shellOf } from '../../support/hosts.js';
import type { Fault } from '../fault.js';
import type { Stage } from '../stage.js';
import { GROUP_INFRA, type GroupWork, judgeGroup, prepareFounding, prepareGroup, reachMoment } from './group-work.js';
import { CUT } from './hosts.js';

/** Operations after which it is given up that one lasts until its drawn step. */
const ATTEMPTS = 4;

/** Ends something at a drawn step of an operation on a group under load, and restarts it. */
async function interrupted(
  stage: Stage,
  end: () => Promise<void>,
  prepare: (stage: Stage) => Promise<GroupWork> = prepareGroup,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const work = await prepare(stage);
    try {
      const operation = await reachMoment(stage, work);
      if (operation === undefined && attempt < ATTEMPTS) continue;
      if (operation === undefined) throw new Error('the work was over before the fault');
      await end();
      stage.strike();
      await stage.restart();
      return await judgeGroup(stage, operation, work);
    } finally {
      await work.ledger.stop();
    }
  }
}

/** Cuts the SSH connections of all members. */
async function cutAll(stage: Stage): Promise<void> {
  const cut = ['a', 'b', 'c', 'd'].map((server) => shellOf(stage.infra, server)(CUT).catch(() => '0'));
  const count = (await Promise.all(cut)).reduce((sum, said) => sum + Number(said), 0);
  stage.moment.push(`${count} connections`);
}

/** Each way to end something, drawn where a fault does not name one. */
const ends: readonly [string, (stage: Stage) => Promise<void>][] = [
  ['worker', ({ engine }) => engine.killWorker()],
  ['server', ({ engine }) => engine.killServer()],
  ['ssh', cutAll],
];

const ABOUT = 'at a step of a join, a leave, a replacement or a restart of members of an etcd cluster under load';

export const groups: Fault[] = [
  ...ends.map(
    ([name, end]): Fault => ({
      name: `group-${name}-${name === 'ssh' ? 'cut' : 'kill'}`,
      about: `${name === 'ssh' ? 'all SSH connections cut' : `kill -9 of ${name === 'worker' ? 'the worker' : "Temporal's server"}`} ${ABOUT}`,
      on: 'hosts',
      infra: GROUP_INFRA,
      round: (stage) => interrupted(stage, () => end(stage)),
    }),
  ),
  {
    name: 'group-founded',
    about: 'one of these at a step of the first installation of an etcd cluster',
    on: 'hosts',
    infra: GROUP_INFRA,
    round(stage) {
      const [name, end] = stage.pick(ends);
      stage.moment.push(name);
      return interrupted(stage, () => end(stage), prepareFounding);
    },
  },
];
