import { type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import type { Definition } from '../../core/definition/definition.js';
import { type Packable, unpackIfPacked } from '../../core/encoding/pack.js';
import type { DefinitionRow } from '../../core/infra/definition-log.js';
import { type Inventory, isEmpty } from '../../core/infra/inventory.js';
import { infraWorkflowId } from '../../core/names.js';
import type { Holder, Waiter } from '../../core/operation/operation.js';
import type { Engine } from '../engine.js';
import { translateFault } from '../temporal/fault.js';
import { askKept } from '../temporal/kept-answers.js';
import { listKept } from '../temporal/kept-list.js';
import { formatCondition, listWorkflows, OPEN } from '../temporal/visibility.js';
import { hasEndedMute } from './ended-mute.js';

interface Place {
  workspace: string;
  infra: string;
}

/** Returns the names of a workspace's existing infras, by one query that reads them all. */
export async function queryInfras({ temporal }: Engine, workspace: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const info of listWorkflows(temporal, `${conditionsOf(workspace)} AND ${OPEN}`)) names.push(nameOf(info));
  } catch (error) {
    throw translateFault(error, 'the list of infras');
  }
  return names.sort();
}

/** As `queryInfras`, for what is asked often: a long-running process pays only for what has changed (`listKept`). */
export async function listInfraNames({ temporal }: Engine, workspace: string): Promise<string[]> {
  try {
    return (await listKept(temporal, conditionsOf(workspace))).map(nameOf).sort();
  } catch (error) {
    throw translateFault(error, 'the list of infras');
  }
}

const conditionsOf = (workspace: string) => `${formatCondition('kind', 'infra')} AND ${formatCondition('workspace', workspace)}`;

const nameOf = ({ workflowId }: { workflowId: string }) => workflowId.split('/').at(-1) ?? '';

const askInventory = (entity: WorkflowHandle) => entity.query<Packable<Inventory>>('inventory');

/** Returns the inventory of an infra; undefined for an unknown infra. */
export const queryInventory = async (engine: Engine, place: Place): Promise<Inventory | undefined> =>
  inventoryIn(await asked(engine, place, askInventory));

/** As `queryInventory`, for what is asked often: an infra that has not changed is not queried again (`askKept`). */
export async function readInventory(engine: Engine, place: Place): Promise<Inventory | undefined> {
  const kept = ({ workflowId }: WorkflowHandle) => askKept(engine.temporal, { workflowId, question: 'inventory' }, askInventory);
  return inventoryIn(await asked(engine, place, kept));
}

function inventoryIn(packed: Packable<Inventory> | undefined): Inventory | undefined {
  const inventory = packed && unpackIfPacked(packed);
  return inventory && isEmpty(inventory) && !inventory.definition ? undefined : inventory;
}

/** Returns the holders of locks on an infra's resources, and their waiters. */
export async function queryLocks(engine: Engine, place: Place): Promise<{ holders: Holder[]; waiters: Waiter[] }> {
  const found = await asked(engine, place, (entity) => entity.query<{ holders: Holder[]; waiters: Waiter[] }>('locks'));
  return found ?? { holders: [], waiters: [] };
}

/** The last definitions that were applied to an infra, newest first. */
export async function listDefinitions(engine: Engine, place: Place): Promise<DefinitionRow[]> {
  return (await asked(engine, place, (entity) => entity.query<DefinitionRow[]>('definitions'))) ?? [];
}

/** Returns one of them by its content address; undefined if its content is no longer stored. */
export async function readDefinition(engine: Engine, place: Place, hash: string): Promise<Definition | undefined> {
  const ask = (entity: WorkflowHandle) => entity.query<Packable<Definition> | null, [string]>('definition', hash);
  const packed = await asked(engine, place, ask);
  return packed ? unpackIfPacked(packed) : undefined;
}

/** Returns the answer of the infra's entity; undefined if the entity does not exist. */
async function asked<T>(
  { temporal }: Engine,
  { workspace, infra }: Place,
  ask: (entity: WorkflowHandle) => Promise<T>,
): Promise<T | undefined> {
  const entity = temporal.workflow.getHandle(infraWorkflowId(workspace, infra));
  try {
    return await ask(entity);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || (await hasEndedMute(entity, error))) return undefined;
    throw translateFault(error, `infra ${infra}`);
  }
}
