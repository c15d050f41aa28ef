import { emptyInventory, type Inventory, type InventoryServer } from '../../core/infra/inventory.js';

/** Returns an inventory of the infra `shop` with these servers. */
export const inventoryOf = (...servers: InventoryServer[]): Inventory => ({
  ...emptyInventory({ workspace: 'default', infra: 'shop', uuid: 'u' }),
  servers: Object.fromEntries(servers.map((one) => [one.name, one])),
});
