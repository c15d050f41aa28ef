import { judgeWell, SLOW } from './faults/demo-work.js';
import { Stage } from './stage.js';
import { makeAll } from './work.js';

/** A concurrent operation of another infra. A fault of the first infra must not affect it. */
export interface Beside {
  /** Waits until it has ended or waits for a person. */
  settled(): Promise<void>;
  /** Reports its findings to the stage, and deletes its infra. */
  judge(): Promise<void>;
}

/** Starts the deployment of another infra on the demo account. */
export async function beginBeside(stage: Stage): Promise<Beside> {
  const other = new Stage(stage.engine, stage.random);
  const work = makeAll(other.infra);
  await other.account.behave({ latencyMs: SLOW });
  await other.submit(work.wish);
  return {
    settled: () => other.settled(),
    async judge() {
      await judgeWell(other, work);
      await other.undisturbed({ intent: { verb: 'delete' } });
      stage.add(other.findings.map(({ kind, what }) => ({ kind, what: `beside: ${what}` })));
    },
  };
}
