import { judgeAccount, judgeDone, judgeInventory, judgeOperations } from '../judge.js';
import type { Stage } from '../stage.js';
import { anyWork, type Work } from '../work.js';

/** Slow enough for a fault to hit a moment of the work: about 3 s in total. */
export const SLOW = { '*': 40, 'host.step': 90, boot: 250, 'servers.delete': 300, 'networks.delete': 200 };

/** Duration of the work in milliseconds. Faults occur within it. */
export const WORK_MS = 2_800;

/** Draws the work and creates its initial state without faults and latency. */
export async function prepare(stage: Stage, work: Work = anyWork(stage.random, stage.infra)): Promise<Work> {
  if (work.before) await stage.undisturbed({ intent: { verb: 'ensure', prune: true }, definition: work.before });
  stage.moment.push(work.before ? (work.wanted ? 'change' : 'delete') : 'make');
  return work;
}

/** Checks everything that must hold if the final state is as wanted, whichever operation reached it. */
export async function judgeWhole(stage: Stage, { wanted }: Work): Promise<void> {
  await judgeOperations(stage);
  await judgeAccount(stage);
  await judgeInventory(stage, wanted);
}

/** Checks the same, and that the operation ended well despite the fault. */
export async function judgeWell(stage: Stage, work: Work): Promise<void> {
  await stage.settled();
  await judgeWhole(stage, work);
  await judgeDone(stage, stage.operations);
}
