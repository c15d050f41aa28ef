import * as z from 'zod';
import { loadModules } from '../../../core/registry.js';
import { describeTaskserv } from '../../../definition/description/describe-taskserv.js';
import { taskservNamed } from '../../catalog/taskserv-named.js';
import { method } from '../../method.js';
import { catalogResource, jsonDocument, listedTaskserv } from '../../schemas/catalog.js';

const names = z.array(z.string());

export const showTaskserv = method({
  name: 'taskservs.show',
  summary: 'Describe a taskserv: versions, relations, endpoints, fields of its configuration, and an example definition',
  input: z.strictObject({ taskserv: z.string().min(1).max(255).describe('Name of the taskserv') }),
  output: z.strictObject({
    ...listedTaskserv.omit({ versions: true, default: true }).shape,
    versions: jsonDocument.describe('Supported versions and their source'),
    supports: z.strictObject({ os: names, arch: names }),
    requires: names.describe('Taskservs that must be on the same server'),
    after: names.describe('Taskservs that are installed before it'),
    conflicts: names.describe('Taskservs that cannot be on the same server'),
    uses: names.optional().describe('Endpoints of other servers that it uses'),
    endpoints: z.array(jsonDocument).optional().describe('Endpoints of the default configuration'),
    fields: z.array(
      z.strictObject({
        path: z.string(),
        type: z.string(),
        description: z.string(),
        required: z.boolean(),
        default: z.unknown().optional(),
        secret: z.literal(true).optional().describe('Whether it is a reference to a secret'),
      }),
    ),
    example: jsonDocument.describe('Definition with this taskserv'),
  }),
  permission: { action: 'catalog:read', resource: catalogResource },
  errors: ['unknown-taskserv'],
  async run(_, { taskserv: name }) {
    const { entry, all } = await taskservNamed(name);
    const taskserv = await entry.load();
    const together = (taskserv.after ?? []).filter((one) => Object.hasOwn(all, one));
    const described = describeTaskserv(taskserv, Object.values(await loadModules(all, together)));
    // As JSON: a read-only list is a list in the answer.
    return JSON.parse(JSON.stringify(described));
  },
});
