import type { Definition, ServerSpec } from '../definition/definition.js';
import type { Scope } from '../machine/call-context.js';
import type { Connection } from '../machine/provider.js';
import type { Peer } from '../taskserv/taskserv.js';
import type { UndoneApply } from './definition-log.js';

/** One taskserv on one server, as last recorded. */
export interface InventoryService {
  taskserv: string;
  version: string;
  /** The version found on the host (`7.0.15`). */
  installed?: string;
  /** The configuration it was installed with; removal and undo need it. */
  config: unknown;
  /** Content address of the taskserv's code, if it is a module of the workspace. */
  module?: string;
  healthy?: boolean;
  /** Its group there, until it has left that. */
  group?: string;
  /** The server that its data is moving to: the service there is not whole before the move has ended. */
  movesTo?: string;
  /** The operation that last changed it. */
  since: string;
}

export interface InventoryServer {
  name: string;
  provider: string;
  /** The provider's own id. */
  id: string;
  connection: Connection;
  /** Device paths of its volumes on the host, if it has disks. */
  devices?: Record<string, string>;
  spec: Omit<ServerSpec, 'taskservs'>;
  services: Record<string, InventoryService>;
  since: string;
  /** The operation that switched it off, while it is meant to be off. */
  stopped?: string;
}

export interface InventoryNetwork {
  name: string;
  provider: string;
  id: string;
  since: string;
}

/**
 * Everything that exists: place, version, and the operation since which it exists. The infra's entity workflow keeps
 * it.
 */
export interface Inventory extends Scope {
  /** The last applied definition: the only source of truth of all commands. */
  definition?: Definition;
  servers: Record<string, InventoryServer>;
  networks: Record<string, InventoryNetwork>;
  /** Only in an excerpt for one operation: who offers what, as far as it looks, in the whole definition. */
  peers?: readonly Peer[];
}

/** One change of the inventory, recorded right after the step that caused it. */
export type InventoryChange =
  | { change: 'server'; server: InventoryServer }
  | { change: 'server-gone'; name: string }
  | { change: 'network'; network: InventoryNetwork }
  | { change: 'network-gone'; name: string }
  | { change: 'service'; server: string; service: InventoryService }
  | { change: 'service-gone'; server: string; taskserv: string }
  | { change: 'definition'; definition: Definition | undefined }
  /** The operation has applied the definition of this content address, which its batch brought. */
  | { change: 'definition-applied'; hash: string }
  /** That an operation applied a definition is rolled back: who else applied one, and when, says which is in force then. */
  | ({ change: 'definition-undone' } & UndoneApply)
  /** A definition was received that was submitted then (ISO time): it may be the one in force already. */
  | { change: 'received'; submitted: string };

export const emptyInventory = (scope: Scope): Inventory => ({ ...scope, servers: {}, networks: {} });

/** Whether nothing of the infra is left. */
export const isEmpty = (inventory: Inventory): boolean =>
  Object.keys(inventory.servers).length === 0 && Object.keys(inventory.networks).length === 0;

/** The inventory after a change. Does not modify its argument. */
export const record = (inventory: Inventory, change: InventoryChange): Inventory => recordAll(inventory, [change]);

/** The inventory after changes, its tables copied once for all of them. Does not modify its argument. */
export function recordAll(inventory: Inventory, changes: readonly InventoryChange[]): Inventory {
  const after = { ...inventory };
  const kinds = new Set(changes.map(({ change }) => change));
  if (kinds.has('network') || kinds.has('network-gone')) after.networks = { ...inventory.networks };
  if ([...kinds].some((kind) => kind.startsWith('serv'))) after.servers = { ...inventory.servers };
  for (const change of changes) put(after, change);
  return after;
}

/** The same inventory with tables of its own: `put` into one does not change the other. */
export const ownTables = (inventory: Inventory): Inventory => ({
  ...inventory,
  servers: { ...inventory.servers },
  networks: { ...inventory.networks },
});

/** Modifies the tables of the inventory, and nothing below them. */
export function put(inventory: Inventory, entry: InventoryChange): void {
  switch (entry.change) {
    case 'server':
      inventory.servers[entry.server.name] = entry.server;
      return;
    case 'server-gone':
      delete inventory.servers[entry.name];
      return;
    case 'network':
      inventory.networks[entry.network.name] = entry.network;
      return;
    case 'network-gone':
      delete inventory.networks[entry.name];
      return;
    case 'definition':
      inventory.definition = entry.definition;
      return;
    case 'received':
    // Only the entity knows the consequences of these.
    case 'definition-applied':
    case 'definition-undone':
      return;
    case 'service':
    case 'service-gone': {
      const server = inventory.servers[entry.server];
      if (!server) return;
      const services =
        entry.change === 'service'
          ? { ...server.services, [entry.service.taskserv]: entry.service }
          : without(server.services, entry.taskserv);
      inventory.servers[entry.server] = { ...server, services };
    }
  }
}

function without<T>(table: Record<string, T>, key: string): Record<string, T> {
  const { [key]: _, ...rest } = table;
  return rest;
}
