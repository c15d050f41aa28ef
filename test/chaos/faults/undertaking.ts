import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationResult } from '../../../core/operation/operation.js';
import { asBefore } from '../findings.js';
import { judgeAccount, judgeOperations } from '../judge.js';
import { contentInDemo, contentOfInventory } from '../observe.js';
import type { Stage } from '../stage.js';
import { changeAll, makeAll, type Work } from '../work.js';
import { prepare, SLOW } from './demo-work.js';

const SLOW_BACK = { ...SLOW, 'host.undo': 90, 'servers.delete': 400, 'networks.delete': 300 };
/** Approximate duration of a roll-back, in milliseconds. */
export const BACK_MS = 1_200;
const TIMING = { healthMs: 300 };

type Failures = NonNullable<Parameters<Stage['account']['behave']>[0]['failures']>;

interface Begun {
  operation: string;
  work: Work;
  /** Reports each difference from the state before the operation to the stage. */
  compare(): Promise<void>;
}

interface Undertaking {
  onFailure: 'rollback' | 'keep' | 'ask';
  failures?: Failures;
  unhealthy?: string[];
}

/** Starts an operation that creates or changes resources, and records the former state. */
export async function undertake(stage: Stage, { onFailure, ...behaviour }: Undertaking): Promise<Begun> {
  const work = await prepare(stage, stage.random() < 0.5 ? makeAll(stage.infra) : changeAll(stage.infra));
  const look = async () => ({
    account: contentInDemo(await stage.account.read(), stage.infra),
    inventory: contentOfInventory(await stage.inventory()),
  });
  const before = await look();
  await stage.account.behave({ latencyMs: SLOW_BACK, ...behaviour });
  const operation = await stage.submit({ ...work.wish, timing: TIMING, onFailure });
  return {
    operation,
    work,
    async compare() {
      const after = await look();
      stage.add(asBefore('the account', before.account, after.account));
      stage.add(asBefore('the inventory', before.inventory, after.inventory));
    },
  };
}

/**
 * Starts an operation that must fail, because its redis never answers. `failures` are failures of its compensations.
 */
export const doomed = (stage: Stage, failures: Failures = [], onFailure: Undertaking['onFailure'] = 'rollback') =>
  undertake(stage, { onFailure, failures, unhealthy: ['redis'] });

/** Starts an operation that must fail, and returns in the middle of its roll-back. */
export async function whileRollingBack(stage: Stage): Promise<Begun> {
  const begun = await doomed(stage);
  await untilTakingBack(stage, begun.operation);
  await stage.later(BACK_MS);
  return begun;
}

/** Waits until the operation rolls its changes back. */
async function untilTakingBack(stage: Stage, operation: string): Promise<void> {
  for (;;) {
    const { cells, status } = await (await stage.engine.client()).operations.progress({ operation });
    if (cells.some(({ step, state }) => state === 'running' && step?.startsWith('Roll back'))) return;
    if (!['queued', 'running', 'rolling-back'].includes(status)) throw new Error(`it was ${status} before it rolled anything back`);
    await sleep(10);
  }
}

export async function judgeRolledBack(
  stage: Stage,
  { operation, compare }: Begun,
  status: OperationResult['status'][],
): Promise<void> {
  await stage.settled();
  await judgeOperations(stage);
  await judgeAccount(stage);
  const result = await stage.result(operation);
  stage.demand(status.includes(result.status), `it ended ${result.status} instead of ${status.join(' or ')}`);
  stage.demand((result.left ?? []).length === 0, `left: ${result.left?.join('; ')}`);
  await compare();
}

export const rollbackOf = (of: string) => ({ verb: 'rollback', of }) as const;
