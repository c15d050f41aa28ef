import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationResult } from '../../../core/operation.js';
import type { Fault } from '../fault.js';
import { asBefore } from '../findings.js';
import { judgeAccount, judgeOperations } from '../judge.js';
import { contentInDemo, contentOfInventory, existingInDemo } from '../observe.js';
import type { Stage } from '../stage.js';
import { changeAll, makeAll } from '../work.js';
import { prepare, SLOW } from './demo-work.js';

const SLOW_BACK = { ...SLOW, 'host.undo': 90, 'servers.delete': 400, 'networks.delete': 300 };
/** How long taking back takes, in milliseconds, about. */
const BACK_MS = 1_200;
const TIMING = { healthMs: 300 };

type Failures = NonNullable<Parameters<Stage['account']['behave']>[0]['failures']>;

interface Begun {
  operation: string;
  /** Told to the stage what is not as it was before the operation. */
  compare(): Promise<void>;
}

/** An operation that cannot end well, since its redis never answers; `compensate` says which compensations fail. */
async function doomed(stage: Stage, failures: Failures = [], onFailure: 'rollback' | 'keep' | 'ask' = 'rollback'): Promise<Begun> {
  const work = await prepare(stage, stage.random() < 0.5 ? makeAll(stage.infra) : changeAll(stage.infra));
  const look = async () => ({
    account: contentInDemo(await stage.account.read(), stage.infra),
    inventory: contentOfInventory(await stage.inventory()),
  });
  const before = await look();
  await stage.account.behave({ latencyMs: SLOW_BACK, unhealthy: ['redis'], failures });
  const operation = await stage.submit({ ...work.wish, timing: TIMING, onFailure });
  return {
    operation,
    async compare() {
      const after = await look();
      stage.add(asBefore('the account', before.account, after.account));
      stage.add(asBefore('the inventory', before.inventory, after.inventory));
    },
  };
}

/** Waits until the operation takes things back. */
async function untilTakingBack(stage: Stage, operation: string): Promise<void> {
  for (;;) {
    const { cells, status } = await (await stage.engine.client()).progress(operation);
    if (cells.some(({ step, state }) => state === 'running' && step?.startsWith('Take back'))) return;
    if (!['queued', 'running', 'rolling-back'].includes(status)) throw new Error(`it was ${status} before it took anything back`);
    await sleep(10);
  }
}

async function judgeTakenBack(stage: Stage, { operation, compare }: Begun, status: OperationResult['status'][]): Promise<void> {
  await stage.settled();
  await judgeOperations(stage);
  await judgeAccount(stage);
  const result = await stage.result(operation);
  stage.demand(status.includes(result.status), `it ended ${result.status} instead of ${status.join(' or ')}`);
  stage.demand((result.left ?? []).length === 0, `left: ${result.left?.join('; ')}`);
  await compare();
}

const rollbackOf = (of: string, { compensations }: OperationResult) => ({ verb: 'rollback', of, compensations }) as const;

export const takeBacks: Fault[] = [
  {
    name: 'worker-kill-rollback',
    about: 'kill -9 of the worker in the middle of a rollback',
    on: 'demo',
    async round(stage) {
      const begun = await doomed(stage);
      await untilTakingBack(stage, begun.operation);
      await stage.later(BACK_MS);
      await stage.engine.killWorker();
      stage.strike();
      await stage.restart();
      await judgeTakenBack(stage, begun, ['rolled-back']);
    },
  },
  {
    name: 'cancel-rollback',
    about: 'a cancel while the operation takes itself back: it takes all back all the same',
    on: 'demo',
    async round(stage) {
      const begun = await doomed(stage);
      await untilTakingBack(stage, begun.operation);
      await stage.later(BACK_MS);
      const client = await stage.engine.client();
      await client.cancel(begun.operation, 'chaos').catch((error: unknown) => stage.moment.push(String(error)));
      await judgeTakenBack(stage, begun, ['rolled-back', 'canceled']);
    },
  },
  {
    name: 'cancel-rollback-operation',
    about: 'a cancel of `workflow rollback`: what it did not come to is named and can be taken back again',
    on: 'demo',
    async round(stage) {
      const begun = await doomed(stage, [], 'keep');
      await stage.settled();
      const kept = await stage.result(begun.operation);
      const rollback = await stage.submit({ intent: rollbackOf(begun.operation, kept) });
      await stage.later(BACK_MS);
      await (await stage.engine.client()).cancel(rollback, 'chaos').catch((error: unknown) => stage.moment.push(String(error)));
      await stage.settled();
      await judgeOperations(stage);
      await judgeAccount(stage);
      const canceled = await stage.result(rollback);
      const owes = contentOfInventory(await stage.inventory()) !== undefined && canceled.status === 'canceled';
      if (owes) {
        stage.demand((canceled.left ?? []).length > 0, 'a canceled rollback names nothing of what it left');
        await stage.undisturbed({ intent: rollbackOf(begun.operation, canceled) });
      }
      await judgeAccount(stage);
      await begun.compare();
    },
  },
  {
    name: 'compensation-fails',
    about: 'compensations that finally fail: named with their reason, in the inventory, and taken back by `workflow rollback`',
    on: 'demo',
    async round(stage) {
      const names = stage.some(['web-1', 'web-2', 'db']);
      const verbs = names.map((name) => ({ verb: 'servers.delete', name, error: 'user' as const }));
      const begun = await doomed(stage, [...verbs, { verb: 'networks.delete', error: 'user' }]);
      await stage.settled();
      await judgeOperations(stage);
      await judgeAccount(stage);
      const failed = await stage.result(begun.operation);
      const existing = existingInDemo(await stage.account.read(), stage.infra);
      const named = (failed.left ?? [])
        .filter((text) => /^\S+ \S+ \(.+; provisioning workflow rollback \S+.*\)$/.test(text))
        .map((text) => text.split(' (')[0]);
      const fails = (await stage.account.read()).settings.failures.map(({ name }) => name);
      const owed = names.filter((name) => !fails.includes(name)).map((name) => `server ${name}`);
      stage.moment.push(`left: ${named.join(', ') || 'nothing'}`);
      for (const name of owed) stage.demand(named.includes(name), `${name} is left and not named`);
      for (const name of named) {
        const [kind, thing = ''] = name?.split(' ') ?? [];
        stage.demand(kind !== 'server' || existing.servers.includes(thing), `${name} is named as left and is gone`);
      }
      stage.demand(named.length > 0, 'nothing is named as left');
      await stage.account.behave({});
      await stage.undisturbed({ intent: rollbackOf(begun.operation, failed) });
      await judgeAccount(stage);
      await begun.compare();
    },
  },
  {
    name: 'worker-kill-question',
    about: 'kill -9 of the worker while a question stands: it stands afterwards, and its answer counts',
    on: 'demo',
    async round(stage) {
      const begun = await doomed(stage, [], 'ask');
      await stage.settled();
      stage.demand(stage.ended === 'waits', 'it does not wait');
      await stage.later(500);
      await stage.engine.killWorker();
      await stage.restart();
      await stage.settled();
      await judgeOperations(stage);
      const client = await stage.engine.client();
      const asked = await client.progress(begun.operation);
      stage.demand(asked.status === 'waiting', `after the restart it is ${asked.status}`);
      await client.decide(begun.operation, 'rollback', 'chaos');
      await client.result(begun.operation);
      await judgeTakenBack(stage, begun, ['rolled-back']);
    },
  },
];
