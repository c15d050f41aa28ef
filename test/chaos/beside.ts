import { judgeWell, SLOW } from './faults/demo-work.js';
import { Stage } from './stage.js';
import { makeAll } from './work.js';

/** An operation of another infra, at the same time: what hits the one must not touch the other. */
export interface Beside {
  /** Waits until it has ended, or waits for a person. */
  settled(): Promise<void>;
  /** Tells the stage what is wrong with it, and clears it up. */
  judge(): Promise<void>;
}

/** Begins to deploy another infra, on the demo account. */
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
