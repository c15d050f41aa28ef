import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { same } from '../../../core/encoding/hash.js';
import { inputError } from '../../../core/errors.js';
import { DefinitionLog } from '../../../core/infra/definition-log.js';
import type { FeedState } from '../../../core/infra/feed-state.js';
import { infraWorkflowId } from '../../../core/names.js';
import type { StoreRecord } from '../../../stores/records.js';
import type { Engine } from '../../engine.js';
import { listDefinitions, queryInfras, queryInventory, queryLocks } from '../../infra/entity.js';
import { operationsWhere } from '../../operation/list.js';
import { translateFault } from '../../temporal/fault.js';
import { LATEST_RUN_CONDITION, listWorkflows } from '../../temporal/visibility.js';
import { findChangedSecrets } from './find-collisions.js';
import { useRecords } from './use-records.js';
import type { TakenInfra } from './workspace-content.js';

/** Milliseconds that the store gets to take what an infra has accepted. */
const KEPT_WITHIN = 30_000;
const ASK_AGAIN = 200;

/** Subject of an import. */
export interface Import {
  engine: Engine;
  workspace: string;
  records: StoreRecord[];
  infras: TakenInfra[];
}

/**
 * Names the changes in a workspace since its import. It queries the infras themselves, because the store lags behind
 * by seconds. An operation counts even if it changed nothing.
 *
 * @param at time of the import (ISO time)
 * @param isWhole whether the import has ended; otherwise parts may be missing, and other changes in the workspace
 * stay: only the imported parts are checked
 * @throws inputError `workspace-in-use` while the store does not have all changes of an infra
 */
export async function findUse(work: Import, { at, isWhole }: { at: string; isWhole: boolean }): Promise<string[]> {
  const { engine, workspace, infras } = work;
  const found: string[] = [];
  let since = at;
  for (const taken of infras) {
    const own = await lookAt(work, taken);
    if (!own && isWhole) found.push(`infra ${taken.infra}, which was deleted`);
    if (own?.use) found.push(`infra ${taken.infra}, ${own.use}`);
    // By the clock of Temporal's server, as the starts of operations: ours may be ahead of it.
    if (own && own.started < since) since = own.started;
  }
  if (isWhole) {
    const own = new Set(infras.map(({ infra }) => infra));
    for (const infra of await queryInfras(engine, workspace)) if (!own.has(infra)) found.push(`infra ${infra}, which is new`);
    found.push(...(await listOperations(engine, workspace, since)));
  }
  found.push(...(await useRecords(engine, (all) => findChangedSecrets(all, work.records, isWhole))));
  return found;
}

/** When an imported infra began here, and what has been done to it since; undefined if it is not there any more. */
async function lookAt({ engine, workspace }: Import, taken: TakenInfra): Promise<{ started: string; use?: string } | undefined> {
  const { infra, uuid, known } = taken;
  const place = { workspace, infra };
  const inventory = await queryInventory(engine, place);
  if (inventory?.uuid !== uuid) return undefined;
  const started = await startOf(engine, place);
  const { holders, waiters } = await queryLocks(engine, place);
  const [working] = [...holders, ...waiters];
  if (working) return { started, use: `which ${working.operation} works on or waits for` };
  await waitUntilKept(engine, place);
  const definitions = new DefinitionLog(known.definitions).rows();
  if (!same(inventory, known.inventory) || !same(await listDefinitions(engine, place), definitions))
    return { started, use: 'which has changed' };
  // It began with a snapshot of all that was imported.
  const feed = (await engine.stores.feeds.read(place)).find((one) => one.uuid === uuid);
  const change = feed?.entries.map(({ content }) => content).find((content) => content.kind === 'changes');
  return { started, ...(change?.kind === 'changes' && { use: `to which ${change.operation} has reported` }) };
}

/**
 * Waits until the store has all that an infra has accepted: nothing is on the way any more that would come after the records
 * were removed.
 *
 * @throws inputError `workspace-in-use` if the store does not take it in time
 */
export async function waitUntilKept(
  { temporal }: Engine,
  { workspace, infra }: { workspace: string; infra: string },
): Promise<void> {
  const entity = temporal.workflow.getHandle(infraWorkflowId(workspace, infra));
  const deadline = performance.now() + KEPT_WITHIN;
  for (;;) {
    const state = await entity.query<FeedState>('feed').catch((error: unknown) => {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw translateFault(error, `infra ${infra}`);
    });
    // A refused feed is appended to no more.
    if (!state || state.waiting === 0 || state.trouble?.refused) return;
    if (performance.now() > deadline) {
      const why = `the store does not have all changes of infra ${infra}${state.trouble ? `: ${state.trouble.why}` : ''}`;
      const hint = 'provisioning status says whether it will have them soon';
      throw inputError({ code: 'workspace-in-use', what: 'undo the import', on: workspace, why, hint });
    }
    await sleep(ASK_AGAIN);
  }
}

async function startOf({ temporal }: Engine, { workspace, infra }: { workspace: string; infra: string }): Promise<string> {
  try {
    return (await temporal.workflow.getHandle(infraWorkflowId(workspace, infra)).describe()).startTime.toISOString();
  } catch (error) {
    throw translateFault(error, `infra ${infra}`);
  }
}

async function listOperations({ temporal }: Engine, workspace: string, since: string): Promise<string[]> {
  const query = [operationsWhere({ workspace }), LATEST_RUN_CONDITION, `StartTime >= '${since}'`].join(' AND ');
  const found: string[] = [];
  try {
    for await (const { workflowId } of listWorkflows(temporal, query)) found.push(`operation ${workflowId}`);
  } catch (error) {
    throw translateFault(error, `workspace ${workspace}`);
  }
  return found;
}
