import { judgeAccount, judgeDone, judgeInventory, judgeOperations } from '../judge.js';
import type { Stage } from '../stage.js';
import { anyWork, type Work } from '../work.js';

/** Slow enough that a moment of the work can be hit: about 3 s in all. */
export const SLOW = { '*': 40, 'host.step': 90, boot: 250, 'servers.delete': 300, 'networks.delete': 200 };

/** How long the work takes, in milliseconds: faults fall within. */
export const WORK_MS = 2_800;

/** Draws what is to be done and makes what is to be there before, undisturbed and unhurried by latency. */
export async function prepare(stage: Stage, work: Work = anyWork(stage.random, stage.infra)): Promise<Work> {
  if (work.before) await stage.undisturbed({ intent: { verb: 'ensure', prune: true }, definition: work.before });
  stage.moment.push(work.before ? (work.wanted ? 'change' : 'delete') : 'make');
  return work;
}

/** Everything that holds when all is as wanted in the end, whoever did it. */
export async function judgeWhole(stage: Stage, { wanted }: Work): Promise<void> {
  await judgeOperations(stage);
  await judgeAccount(stage);
  await judgeInventory(stage, wanted);
}

/** The same, and the operation has ended well in spite of the fault. */
export async function judgeWell(stage: Stage, work: Work): Promise<void> {
  await stage.settled();
  await judgeWhole(stage, work);
  await judgeDone(stage, stage.operations);
}
