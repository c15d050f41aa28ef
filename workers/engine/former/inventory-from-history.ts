import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { Definition } from '../../../core/definition/definition.js';
import { type Packable, unpackIfPacked } from '../../../core/encoding/pack.js';
import { emptyInventory, type Inventory, type InventoryChange, put } from '../../../core/infra/inventory.js';
import type { Grant } from '../../../core/infra/lock.js';

type Event = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];
type Payloads = { payloads?: Payload[] | null } | null | undefined;

interface FormerStart {
  workspace: string;
  infra: string;
  state?: Packable<{ inventory: Inventory }>;
}

/**
 * Reads the inventory of a former version's infra from the decoded history of its entity's last run. It uses the input
 * of the run, and the messages since.
 *
 * @returns undefined if the run received no message that identifies the infra, so that nothing was created in its name
 */
export function inventoryFromHistory(events: readonly Event[]): Inventory | undefined {
  const start = first<FormerStart>(events[0]?.workflowExecutionStartedEventAttributes?.input);
  if (!start) return undefined;
  const before = start.state && unpackIfPacked(start.state).inventory;
  const inventory = before
    ? { ...before, servers: { ...before.servers }, networks: { ...before.networks } }
    : emptyInventory({ workspace: start.workspace, infra: start.infra, uuid: uuidIn(events) });
  for (const event of events) for (const change of changesIn(event)) put(inventory, change);
  return inventory.uuid === '' ? undefined : inventory;
}

function changesIn(event: Event): InventoryChange[] {
  const signal = event.workflowExecutionSignaledEventAttributes;
  const name = signal?.signalName;
  if (name === 'changed' || name === 'release') return first<{ changes: InventoryChange[] }>(signal?.input)?.changes ?? [];
  if (name === 'told') return (first<{ changes: InventoryChange[] }[]>(signal?.input) ?? []).flatMap(({ changes }) => changes);
  const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input;
  if (update?.name !== 'acquireMany') return [];
  const definition = first<{ definition?: Definition }>(update.args)?.definition;
  return definition ? [{ change: 'definition', definition }] : [];
}

/** A new entity generates its UUID itself, and reports it with each grant. */
function uuidIn(events: readonly Event[]): string {
  for (const event of events) {
    const signal = event.signalExternalWorkflowExecutionInitiatedEventAttributes;
    const granted = signal?.signalName === 'granted' ? first<Grant>(signal.input) : undefined;
    const outcome = event.workflowExecutionUpdateCompletedEventAttributes?.outcome?.success;
    const [grant] = granted ? [granted] : Object.values(first<Record<string, Grant>>(outcome) ?? {});
    if (grant?.inventory) return unpackIfPacked(grant.inventory).uuid;
  }
  return '';
}

function first<T>(payloads: Payloads): T | undefined {
  const [payload] = payloads?.payloads ?? [];
  return payload ? defaultPayloadConverter.fromPayload<T>(payload as Payload) : undefined;
}
