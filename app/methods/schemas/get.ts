import * as z from 'zod';
import { inputError } from '../../../core/errors.js';
import { loadModules } from '../../../core/registry.js';
import { batchSchema, definitionSchema, taskservSchema } from '../../../definition/json-schema.js';
import { registries } from '../../../definition/registries/registries.js';
import { taskservNamed } from '../../catalog/taskserv-named.js';
import { method } from '../../method.js';
import { catalogResource, jsonDocument } from '../../schemas/catalog.js';

export const getSchema = method({
  name: 'schemas.get',
  summary: 'Return the JSON Schema for definitions, batch files or a taskserv configuration',
  input: z.strictObject({
    of: z.enum(['definition', 'batch', 'taskserv']).describe('Kind of document'),
    taskserv: z.string().min(1).max(255).optional().describe('Name of the taskserv'),
  }),
  output: jsonDocument,
  permission: { action: 'catalog:read', resource: catalogResource },
  errors: ['unknown-taskserv'],
  async run(_, { of, taskserv }) {
    if ((of === 'taskserv') !== (taskserv !== undefined)) {
      const why = 'a schema of a taskserv needs its name, and no other schema takes one';
      throw inputError({ code: 'bad-request', what: 'return the schema', on: of, why });
    }
    if (taskserv !== undefined) return taskservSchema(await (await taskservNamed(taskserv)).entry.load());
    if (of === 'batch') return batchSchema();
    return definitionSchema(await loadModules((await registries()).taskservs));
  },
});
