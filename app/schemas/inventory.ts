import * as z from 'zod';
import type { DefinitionRow } from '../../core/infra/definition-log.js';
import type { Inventory, InventoryNetwork, InventoryServer, InventoryService } from '../../core/infra/inventory.js';
import type { Connection } from '../../core/machine/provider.js';
import { requests } from '../../core/schema/requests.js';
import type { Peer } from '../../core/taskserv/taskserv.js';
import { typed } from './typed.js';

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

const service = typed<InventoryService>()(
  z.strictObject({
    taskserv: text,
    version: text,
    installed: text.optional().describe('The version found on the host'),
    config: z.unknown(),
    module: text.optional().describe("Content address of the code of the taskserv, where that is the workspace's own"),
    healthy: z.boolean().optional(),
    movesTo: text.optional().describe('The server that its data is moving to'),
    since: text.describe('The operation that last changed it'),
  }),
);
const { shape } = requests.definition.shape.servers.element.omit({ taskservs: true });
const server = typed<InventoryServer>()(
  z.strictObject({
    name: text,
    provider: text,
    id: text.describe("The provider's own id"),
    connection,
    devices: z.record(z.string(), text).optional(),
    spec: z.strictObject(shape),
    services: z.record(z.string(), service),
    since: text,
    stopped: text.optional().describe('The operation that switched it off, while it is meant to be off'),
  }),
);
const network = typed<InventoryNetwork>()(z.strictObject({ name: text, provider: text, id: text, since: text }));

/** What an infra has. */
export const inventory = typed<Inventory>()(
  z.strictObject({
    workspace: text,
    infra: text,
    uuid: text,
    definition: requests.definition.optional().describe('The last applied one'),
    servers: z.record(z.string(), server),
    networks: z.record(z.string(), network),
    peers: z.array(z.custom<Peer>()).optional(),
  }),
);

/** A definition that was applied to an infra. */
export const appliedDefinition = typed<DefinitionRow>()(
  z.strictObject({
    hash: text.optional().describe('SHA-256 of its JSON; absent: the infra was deleted as a whole'),
    operation: text.describe('The operation that applied it first; empty where that was not kept'),
    actor: text,
    at: text.describe('ISO time'),
    by: z.array(text).describe('Operations that applied it and were not rolled back'),
    undone: z.strictObject({ operation: text, at: text }).optional().describe('The operation that rolled back the last of them'),
    inForce: z.boolean().describe('It is the last applied one'),
  }),
);
