import type { Definition, ServerSpec } from './definition.js';
import type { Connection, Scope } from './provider.js';

/** One taskserv on one server, as last recorded. */
export interface InventoryService {
  taskserv: string;
  version: string;
  /** The version found on the host (`7.0.15`). */
  installed?: string;
  /** The configuration it was installed with; removal and undo need it. */
  config: unknown;
  healthy?: boolean;
  /** The operation that last changed it. */
  since: string;
}

export interface InventoryServer {
  name: string;
  provider: string;
  /** The provider's own id. */
  id: string;
  connection: Connection;
  spec: Omit<ServerSpec, 'taskservs'>;
  services: Record<string, InventoryService>;
  since: string;
}

export interface InventoryNetwork {
  name: string;
  provider: string;
  id: string;
  since: string;
}

/** What exists, where, which version, since which operation. Kept by the infra's entity workflow. */
export interface Inventory extends Scope {
  /** The last applied definition: the one source of truth of all commands. */
  definition?: Definition;
  servers: Record<string, InventoryServer>;
  networks: Record<string, InventoryNetwork>;
}

/** One change of the inventory, recorded right after the step that caused it. */
export type InventoryChange =
  | { change: 'server'; server: InventoryServer }
  | { change: 'server-gone'; name: string }
  | { change: 'network'; network: InventoryNetwork }
  | { change: 'network-gone'; name: string }
  | { change: 'service'; server: string; service: InventoryService }
  | { change: 'service-gone'; server: string; taskserv: string }
  | { change: 'definition'; definition: Definition | undefined };

export const emptyInventory = (scope: Scope): Inventory => ({ ...scope, servers: {}, networks: {} });

/** Whether nothing of the infra is left. */
export const isEmpty = (inventory: Inventory): boolean =>
  Object.keys(inventory.servers).length === 0 && Object.keys(inventory.networks).length === 0;

/** The inventory after a change. Does not modify its argument. */
export function record(inventory: Inventory, entry: InventoryChange): Inventory {
  switch (entry.change) {
    case 'server':
      return { ...inventory, servers: { ...inventory.servers, [entry.server.name]: entry.server } };
    case 'server-gone':
      return { ...inventory, servers: without(inventory.servers, entry.name) };
    case 'network':
      return { ...inventory, networks: { ...inventory.networks, [entry.network.name]: entry.network } };
    case 'network-gone':
      return { ...inventory, networks: without(inventory.networks, entry.name) };
    case 'definition':
      return { ...inventory, definition: entry.definition };
    case 'service':
    case 'service-gone': {
      const server = inventory.servers[entry.server];
      if (!server) return inventory;
      const services =
        entry.change === 'service'
          ? { ...server.services, [entry.service.taskserv]: entry.service }
          : without(server.services, entry.taskserv);
      return { ...inventory, servers: { ...inventory.servers, [entry.server]: { ...server, services } } };
    }
  }
}

function without<T>(table: Record<string, T>, key: string): Record<string, T> {
  const { [key]: _, ...rest } = table;
  return rest;
}
