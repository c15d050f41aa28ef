import type { Definition } from '../../core/definition/definition.js';
import { turnsOf } from '../support/demo.js';
import { pauseAfter } from '../support/operations.js';
import { againstDefinition, doubledEffects, effectsAgainstPlan, locksLeft, silentWaits, strays } from './findings.js';
import { existingInDemo, lookAt } from './observe.js';
import type { Stage } from './stage.js';

/** Time in milliseconds in which the entity's watcher frees a lock whose release was lost. */
const LOCKS_MS = 10_000;

/** Checks that operations did not interleave on a server: each one had the server exclusively until it ended. */
export async function judgeTurns(stage: Stage): Promise<void> {
  for (const [server, operations] of Object.entries(turnsOf(await stage.account.read())))
    stage.demand(new Set(operations).size === operations.length, `by turns on ${server}: ${operations.join(', ')}`);
}

/**
 * Checks every round, whatever its fault. Each operation is closed or waits with a reason, and no ended operation
 * holds a lock.
 */
export async function judgeOperations(stage: Stage): Promise<void> {
  const seen = await Promise.all(stage.operations.map((operation) => lookAt(stage.engine, operation)));
  stage.add(silentWaits(seen));
  const client = await stage.engine.client();
  const began = Date.now();
  const until = began + LOCKS_MS;
  for (;;) {
    const checked = Date.now();
    const left = locksLeft(await client.infras.locks({ workspace: 'default', infra: stage.infra }), seen);
    if (left.length === 0 || Date.now() > until) {
      stage.add(left);
      return;
    }
    await pauseAfter(began, checked, 100);
  }
}

/** Compares the demo account with the inventory, and checks its own consistency. */
export async function judgeAccount(stage: Stage): Promise<void> {
  const state = await stage.account.read();
  stage.add(strays(existingInDemo(state, stage.infra), await stage.inventory()));
  stage.add(doubledEffects(state.effects));
  for (const call of state.early ?? []) stage.find('wrong', `${call} came again before it was told to`);
}

/** Checks successful operations: their effects are exactly those of their plans. */
export async function judgeDone(stage: Stage, operations: string[]): Promise<void> {
  const { effects } = await stage.account.read();
  for (const operation of operations) {
    const { status, error, plan } = await stage.result(operation);
    stage.demand(status === 'done', `${operation} ended ${status}: ${error?.step} on ${error?.on}: ${error?.why}`);
    if (status === 'done') stage.add(effectsAgainstPlan({ operation, plan }, effects));
  }
}

/** Checks that the inventory matches the definition. Without a definition the inventory must be gone. */
export async function judgeInventory(stage: Stage, wanted: Definition | undefined): Promise<void> {
  const inventory = await stage.inventory();
  if (wanted) stage.add(againstDefinition(inventory, wanted));
  else
    stage.demand(
      inventory === undefined,
      `the inventory still has ${Object.keys(inventory?.servers ?? {}).join(', ') || 'a definition'}`,
    );
}
