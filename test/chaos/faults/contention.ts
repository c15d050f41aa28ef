import type { Definition } from '../../../core/definition/definition.js';
import { infraWorkflowId } from '../../../core/names.js';
import { batchOf, farm, server, submitBatch } from '../../support/batches.js';
import { demoDefinition } from '../../support/definition.js';
import { withShortRuns } from '../../support/short-runs.js';
import type { Fault } from '../fault.js';
import { againstInForce } from '../findings.js';
import { judgeAccount, judgeInventory, judgeOperations, judgeTurns } from '../judge.js';
import type { Stage } from '../stage.js';
import { SLOW } from './demo-work.js';

const NAMES = ['a', 'b', 'c', 'd'];

/** A batch that creates servers one by one, with its own definition. */
async function batch(stage: Stage, title: string, names: string[]): Promise<string> {
  const plan = await batchOf(
    `${title}-${stage.infra}`,
    { onFailure: 'keep', operations: names.map((name) => server(name)) },
    { 'farm.json': farm(stage.infra, names) },
  );
  return submitBatch(stage.engine, plan);
}

/**
 * Checks that all servers of the definition in force exist, and no others but those that some request named: nothing
 * was removed. Then removes those, and checks that the inventory and the account have exactly the definition.
 *
 * @param named servers of all requests
 */
async function judgeInForce(stage: Stage, named: readonly string[]): Promise<void> {
  const inventory = await stage.inventory();
  const inForce = inventory?.definition as Definition | undefined;
  stage.demand(inForce !== undefined, 'no definition is in force');
  if (!inForce) return;
  stage.add(againstInForce(inventory, inForce, named));
  // The definition in force has nothing left to do, regardless of its operation.
  const { steps } = await stage.undisturbed({ intent: { verb: 'ensure' }, definition: inForce });
  stage.demand(steps.executed === 0, `${steps.executed} steps were left to do`);
  await stage.undisturbed({ intent: { verb: 'ensure', prune: true }, definition: inForce });
  await judgeInventory(stage, inForce);
  await judgeAccount(stage);
}

/**
 * Makes the infra's entity start a new run every few events. Returns a function that reports whether a new run has
 * started.
 */
async function shortRuns(stage: Stage): Promise<() => Promise<boolean>> {
  const first = await withShortRuns(stage.engine, stage.infra, 14);
  const entity = stage.engine.temporal.workflow.getHandle(infraWorkflowId('default', stage.infra));
  return async () => (await entity.describe()).runId !== first;
}

/** Submits one more request at a random time. */
async function another(stage: Stage, batches: string[]): Promise<void> {
  const client = await stage.engine.client();
  const names = stage.some(NAMES);
  const definition = demoDefinition(stage.infra, { servers: names.map((name) => ({ name })), taskservs: [] });
  const draw = stage.random();
  if (draw < 0.35) await stage.submit({ intent: { verb: 'ensure', prune: true }, definition });
  else if (draw < 0.6) await stage.submit({ kind: 'server', intent: { verb: 'ensure', servers: names.slice(0, 1) }, definition });
  else if (draw < 0.75) batches.push(await batch(stage, `b${batches.length}`, names));
  else if (draw < 0.95) await client.operations.cancel({ operation: stage.pick(stage.operations) }).catch(() => {});
  else await client.batches.cancel({ batch: stage.pick(batches) ?? '' }).catch(() => {});
}

export const contention: Fault[] = [
  {
    name: 'interleaved',
    about: 'applies, work on single servers, batches and cancels on one infra in any order, while its entity begins new runs',
    on: 'demo',
    async round(stage) {
      const wanted = demoDefinition(stage.infra, { servers: [{ name: 'a' }], taskservs: [] });
      await stage.undisturbed({ intent: { verb: 'ensure' }, definition: wanted });
      const hasContinued = await shortRuns(stage);
      await stage.account.behave({ latencyMs: { ...SLOW, '*': 20, boot: 60 } });
      const batches: string[] = [];
      for (let left = stage.draw(4, 8); left > 0; left--) {
        await another(stage, batches);
        await stage.later(150);
      }
      const client = await stage.engine.client();
      const ofBatches = await Promise.all(batches.map((id) => client.batches.result({ batch: id })));
      await stage.settled();
      const ofOperations = await Promise.all(stage.operations.map((id) => stage.result(id)));
      for (const end of [...ofBatches, ...ofOperations])
        stage.demand(['done', 'canceled', 'superseded'].includes(end.status), `ended badly: ${JSON.stringify(end).slice(0, 400)}`);
      if (await hasContinued()) stage.moment.push('its entity continued as new');
      await judgeOperations(stage);
      await judgeAccount(stage);
      await judgeTurns(stage);
      await stage.undisturbed({ intent: { verb: 'ensure', prune: true }, definition: wanted });
      await judgeInventory(stage, wanted);
      await judgeAccount(stage);
    },
  },
  {
    name: 'two-batches-and-apply',
    about: 'two batches and an apply on one infra at once, each with a definition of its own, and a kill -9 of the worker',
    on: 'demo',
    async round(stage) {
      await stage.account.behave({ latencyMs: SLOW });
      const client = await stage.engine.client();
      const ofOne = stage.some(NAMES);
      const one = await batch(stage, 'one', ofOne);
      await stage.later(300);
      const ofApply = stage.some(NAMES);
      const definition = demoDefinition(stage.infra, { servers: ofApply.map((name) => ({ name })), taskservs: [] });
      await stage.submit({ intent: { verb: 'ensure' }, definition });
      await stage.later(300);
      const ofTwo = stage.some(NAMES);
      const two = await batch(stage, 'two', ofTwo);
      await client.batches.cancel({ batch: stage.random() < 0.3 ? one : two }).catch(() => {});
      await stage.later(1_500);
      await stage.engine.killWorker();
      stage.strike();
      await stage.restart();
      const again = await stage.engine.client();
      for (const id of [one, two]) {
        const { status, why } = await again.batches.result({ batch: id });
        const well = ['done', 'canceled', 'superseded'].includes(status);
        stage.demand(well, `${id} ended ${status}: ${JSON.stringify(why)}`);
      }
      await stage.settled();
      for (const id of stage.operations) {
        const { status, error } = await stage.result(id);
        stage.demand(['done', 'superseded'].includes(status), `${id} ended ${status}: ${error?.why}`);
      }
      await judgeOperations(stage);
      await judgeAccount(stage);
      await judgeInForce(stage, [...ofOne, ...ofApply, ...ofTwo]);
    },
  },
];
