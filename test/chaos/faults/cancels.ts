import { ProvisioningError } from '../../../core/errors.js';
import type { Fault } from '../fault.js';
import { judgeAccount, judgeInventory, judgeOperations } from '../judge.js';
import { contentOfInventory } from '../observe.js';
import type { Stage } from '../stage.js';
import { WORK_MS } from './demo-work.js';
import { BACK_MS, doomed, judgeRolledBack, rollbackOf, undertake, whileRollingBack } from './undertaking.js';

/** Cancels through the platform. Returns the code of the rejection, if it was rejected. */
async function cancel(stage: Stage, operation: string): Promise<string | undefined> {
  try {
    await (await stage.engine.client()).operations.cancel({ operation });
    return undefined;
  } catch (error) {
    if (!(error instanceof ProvisioningError)) throw error;
    const { code, why } = error.details;
    stage.moment.push(`refused: ${code}, ${why}`);
    return code;
  }
}

export const cancels: Fault[] = [
  {
    name: 'cancel',
    about: 'a cancel in the middle of the work, with the policy keep or rollback: what was done is recorded, or rolled back',
    on: 'demo',
    async round(stage) {
      const onFailure = stage.pick(['keep', 'rollback'] as const);
      const begun = await undertake(stage, { onFailure });
      stage.moment.push(onFailure);
      await stage.later(WORK_MS);
      const refused = await cancel(stage, begun.operation);
      stage.demand([undefined, 'not-running'].includes(refused), `the cancel was refused: ${refused}`);
      await stage.settled();
      const { status } = await stage.result(begun.operation);
      if (status === 'canceled' && onFailure === 'rollback') return judgeRolledBack(stage, begun, ['canceled']);
      stage.demand(['canceled', 'done'].includes(status), `it ended ${status}`);
      await judgeOperations(stage);
      await judgeAccount(stage);
      // The next operation builds on the kept changes.
      await stage.undisturbed(begun.work.wish);
      await judgeAccount(stage);
      await judgeInventory(stage, begun.work.wanted);
    },
  },
  {
    name: 'cancel-rollback',
    about: 'a cancel while the operation rolls itself back: it rolls all of it back all the same',
    on: 'demo',
    async round(stage) {
      const begun = await whileRollingBack(stage);
      // The platform rejects this cancel with a reason. Temporal's own cancel cannot be rejected.
      if (stage.random() < 0.5) await stage.engine.temporal.workflow.getHandle(begun.operation).cancel();
      else {
        const refused = (await cancel(stage, begun.operation)) ?? 'not at all';
        stage.demand(['already-stopping', 'not-running'].includes(refused), `the cancel was refused: ${refused}`);
      }
      await judgeRolledBack(stage, begun, ['rolled-back', 'canceled']);
    },
  },
  {
    name: 'cancel-rollback-operation',
    about: 'a cancel of `workflow rollback`: what it did not come to is named and can be rolled back again',
    on: 'demo',
    async round(stage) {
      const begun = await doomed(stage, [], 'keep');
      await stage.settled();
      const rollback = await stage.submit({ intent: rollbackOf(begun.operation) });
      await stage.later(BACK_MS);
      const refused = await cancel(stage, rollback);
      stage.demand([undefined, 'not-running'].includes(refused), `the cancel was refused: ${refused}`);
      await stage.settled();
      await judgeOperations(stage);
      await judgeAccount(stage);
      const canceled = await stage.result(rollback);
      const owes = contentOfInventory(await stage.inventory()) !== undefined && canceled.status === 'canceled';
      if (owes) {
        stage.demand((canceled.left ?? []).length > 0, 'a canceled rollback names nothing of what it left');
        await stage.undisturbed({ intent: rollbackOf(rollback) });
      }
      await judgeAccount(stage);
      await begun.compare();
    },
  },
];
