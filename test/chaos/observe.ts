import type { Inventory } from '../../core/infra/inventory.js';
import { SEARCH_ATTRIBUTES } from '../../core/names.js';
import type { DemoState } from '../../providers/demo/store/state.js';
import type { TestEngine } from '../support/engine.js';
import { type Existing, NOTHING_EXISTS, type OperationSeen } from './findings.js';

/** Returns the state of an operation as the platform reports it, and whether Temporal still runs it. */
export async function lookAt(engine: TestEngine, operation: string): Promise<OperationSeen> {
  const progress = await (await engine.client()).operations.progress({ operation });
  const { status, searchAttributes } = await engine.temporal.workflow.getHandle(operation).describe();
  return {
    operation,
    open: status.name === 'RUNNING',
    status: progress.status,
    waiting: progress.waiting,
    attention: (searchAttributes?.[SEARCH_ATTRIBUTES.attention] as string[] | undefined) ?? [],
    plan: progress.plan,
  };
}

/** Returns the resources of an infra in a demo account. */
export function existingInDemo({ servers, networks, volumes }: DemoState, infra: string): Existing {
  const named = (table: Record<string, { name: string; scope: { infra: string } }>) =>
    Object.values(table)
      .filter(({ scope }) => scope.infra === infra)
      .map(({ name }) => name)
      .sort();
  return { ...NOTHING_EXISTS, servers: named(servers), networks: named(networks), volumes: named(volumes) };
}

/**
 * Returns the full content of an infra in a demo account, with the steps on its hosts. Times and actors are left out.
 */
export function contentInDemo({ servers, networks, volumes }: DemoState, infra: string) {
  const own = <T extends { scope: { infra: string }; name: string }>(table: Record<string, T>) =>
    Object.values(table)
      .filter(({ scope }) => scope.infra === infra)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    servers: own(servers).map(({ name, plan, image, labels, volumes, network, services }) => ({
      ...{ name, plan, image, labels, volumes, network },
      services: Object.entries(services)
        .filter(([, { steps }]) => steps.length > 0)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([taskserv, { steps }]) => [taskserv, steps]),
    })),
    networks: own(networks).map(({ name }) => name),
    volumes: own(volumes).map(({ name }) => name),
  };
}

/** Returns the inventory without times and actors. */
export function contentOfInventory(inventory: Inventory | undefined) {
  if (!inventory) return undefined;
  const sorted = <T>(table: Record<string, T>) => Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    definition: inventory.definition,
    networks: Object.keys(inventory.networks).sort(),
    servers: sorted(inventory.servers).map(([name, { provider, id, connection, spec, services }]) => ({
      ...{ name, provider, id, connection, spec },
      services: sorted(services).map(([taskserv, { version, config }]) => ({ taskserv, version, config })),
    })),
  };
}
