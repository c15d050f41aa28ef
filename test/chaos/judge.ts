import { setTimeout as sleep } from 'node:timers/promises';
import type { Definition } from '../../core/definition/definition.js';
import { turnsOf } from '../support/demo.js';
import { againstDefinition, doubledEffects, effectsAgainstPlan, locksLeft, silentWaits, strays } from './findings.js';
import { existingInDemo, lookAt } from './observe.js';
import type { Stage } from './stage.js';

/** A lock whose release got lost is freed by the entity's watcher, a little later. */
const LOCKS_MS = 10_000;

/** No two operations worked on one server by turns: each had it to itself until it was done. */
export async function judgeTurns(stage: Stage): Promise<void> {
  for (const [server, operations] of Object.entries(turnsOf(await stage.account.read())))
    stage.demand(new Set(operations).size === operations.length, `by turns on ${server}: ${operations.join(', ')}`);
}

/** What holds after every round, whatever happened in it: every operation closed or waiting with a reason, and no lock of one that has ended. */
export async function judgeOperations(stage: Stage): Promise<void> {
  const seen = await Promise.all(stage.operations.map((operation) => lookAt(stage.engine, operation)));
  stage.add(silentWaits(seen));
  const client = await stage.engine.client();
  const until = Date.now() + LOCKS_MS;
  for (;;) {
    const left = locksLeft(await client.infras.locks({ workspace: 'default', infra: stage.infra }), seen);
    if (left.length === 0 || Date.now() > until) {
      stage.add(left);
      return;
    }
    await sleep(100);
  }
}

/** What the demo account says against the inventory, and against itself. */
export async function judgeAccount(stage: Stage): Promise<void> {
  const state = await stage.account.read();
  stage.add(strays(existingInDemo(state, stage.infra), await stage.inventory()));
  stage.add(doubledEffects(state.effects));
  for (const call of state.early ?? []) stage.find('wrong', `${call} came again before it was told to`);
}

/** Operations that must have ended well: their effects are exactly those of their plans. */
export async function judgeDone(stage: Stage, operations: string[]): Promise<void> {
  const { effects } = await stage.account.read();
  for (const operation of operations) {
    const { status, error, plan } = await stage.result(operation);
    stage.demand(status === 'done', `${operation} ended ${status}: ${error?.step} on ${error?.on}: ${error?.why}`);
    if (status === 'done') stage.add(effectsAgainstPlan({ operation, plan }, effects));
  }
}

/** The inventory is what the definition says; without one there is none any more. */
export async function judgeInventory(stage: Stage, wanted: Definition | undefined): Promise<void> {
  const inventory = await stage.inventory();
  if (wanted) stage.add(againstDefinition(inventory, wanted));
  else
    stage.demand(
      inventory === undefined,
      `the inventory still has ${Object.keys(inventory?.servers ?? {}).join(', ') || 'a definition'}`,
    );
}
