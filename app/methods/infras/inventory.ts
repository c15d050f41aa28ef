import * as z from 'zod';
import { readInventory } from '../../infra/entity.js';
import { method } from '../../method.js';
import { infra } from '../../schemas/ids.js';
import { inventory } from '../../schemas/inventory.js';

export const inventoryOfInfra = method({
  name: 'infras.inventory',
  summary: 'Return the inventory of an infra; empty for an unknown infra',
  input: z.strictObject(infra),
  output: inventory.optional(),
  permission: { action: 'infra:read', resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }) },
  errors: [],
  run: ({ engine }, place) => readInventory(engine, place),
});
