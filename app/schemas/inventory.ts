import * as z from 'zod';
import type { DefinitionRow } from '../../core/infra/definition-log.js';
import type { Inventory, InventoryNetwork, InventoryServer, InventoryService } from '../../core/infra/inventory.js';
import type { Connection } from '../../core/machine/provider.js';
import { requests } from '../../core/schema/requests.js';
import type { Peer } from '../../core/taskserv/taskserv.js';
import { typeSchema } from './typed.js';

const text = z.string();
export const connection = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('ssh'),
    address: text,
    port: z.int(),
    user: text,
    identity: text.optional(),
    jump: text.optional(),
    privateAddress: text.optional(),
  }),
  z.strictObject({ kind: z.literal('this') }),
  z.strictObject({ kind: z.literal('demo'), account: text, server: text }),
]) satisfies z.ZodType<Connection>;

const service = typeSchema<InventoryService>()(
  z.strictObject({
    taskserv: text,
    version: text,
    installed: text.optional().describe('Version found on the host'),
    config: z.unknown(),
    module: text.optional().describe('Content address of the taskserv code, if it belongs to the workspace'),
    healthy: z.boolean().optional(),
    group: text.optional().describe('Group of which it is a member'),
    movesTo: text.optional().describe('Target server of a running data move'),
    since: text.describe('Operation that last changed it'),
  }),
);
const { shape } = requests.definition.shape.servers.element.omit({ taskservs: true });
const server = typeSchema<InventoryServer>()(
  z.strictObject({
    name: text,
    provider: text,
    id: text.describe('Id at the provider'),
    connection,
    devices: z.record(z.string(), text).optional(),
    spec: z.strictObject(shape),
    services: z.record(z.string(), service),
    since: text,
    stopped: text.optional().describe('Operation that switched it off; absent if it should run'),
  }),
);
const network = typeSchema<InventoryNetwork>()(z.strictObject({ name: text, provider: text, id: text, since: text }));

/** Inventory of an infra. */
export const inventory = typeSchema<Inventory>()(
  z.strictObject({
    workspace: text,
    infra: text,
    uuid: text,
    definition: requests.definition.optional().describe('Last applied definition'),
    servers: z.record(z.string(), server),
    networks: z.record(z.string(), network),
    peers: z.array(z.custom<Peer>()).optional(),
  }),
);

/** A definition that was applied to an infra. */
export const appliedDefinition = typeSchema<DefinitionRow>()(
  z.strictObject({
    hash: text.optional().describe('SHA-256 of its JSON; absent if the whole infra was deleted'),
    operation: text.describe('Operation that first applied it; empty if it is not recorded'),
    actor: text,
    at: text.describe('ISO time'),
    by: z.array(text).describe('Operations that applied it and were not rolled back'),
    undone: z.strictObject({ operation: text, at: text }).optional().describe('Operation that rolled back the last of them'),
    inForce: z.boolean().describe('True for the last applied definition'),
  }),
);
