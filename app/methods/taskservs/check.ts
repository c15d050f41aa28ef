import * as z from 'zod';
import { createExample } from '../../../definition/description/example.js';
import { taskservSchema } from '../../../definition/json-schema.js';
import { taskservNamed } from '../../catalog/taskserv-named.js';
import { checkFiles } from '../../definition/check-files.js';
import { method } from '../../method.js';
import { catalogResource, jsonDocument } from '../../schemas/catalog.js';

const text = z.string();
const MAIN = 'definition.json';

export const checkTaskserv = method({
  name: 'taskservs.check',
  summary:
    'Check a version and a configuration of a taskserv on a server without other services; returns every problem with its path',
  input: z.strictObject({
    taskserv: text.min(1).max(255).describe('Name of the taskserv'),
    version: text.min(1).max(255).optional().describe('Version or constraint; absent: the default'),
    config: jsonDocument.optional().describe('Configuration; absent: the default. Secrets count as set'),
  }),
  output: z.strictObject({
    valid: z.boolean(),
    version: text.optional().describe('The version that would be installed; absent if there are problems'),
    problems: z.array(
      z.strictObject({
        path: text.describe('`version`, or a path in the configuration; empty for all of it'),
        message: text,
        suggestion: text.optional(),
        code: text.optional(),
      }),
    ),
  }),
  permission: { action: 'catalog:read', resource: catalogResource },
  errors: ['unknown-taskserv'],
  async run(_, { taskserv: name, version, config }) {
    const { entry } = await taskservNamed(name);
    const taskserv = await entry.load();
    const { servers, taskservs, ...rest } = createExample(taskserv, taskservSchema(taskserv));
    const { config: _example, ...own } = taskservs[0] ?? { name, on: { server: 'main' } };
    const checked = { ...own, ...(version !== undefined && { version }), ...(config !== undefined && { config }) };
    const text = JSON.stringify({ ...rest, servers, taskservs: [checked] }, null, 1);
    const { definition, problems } = await checkFiles('check', { main: MAIN, files: { [MAIN]: text } });
    const found = definition?.servers.flatMap((server) => server.taskservs).find((one) => one.name === name);
    return {
      valid: definition !== undefined,
      ...(found && { version: found.version }),
      problems: problems.map(({ file: _file, line: _line, column: _column, path, ...one }) => ({
        ...one,
        path: path.replace(ENTRY, ''),
      })),
    };
  },
});

/** Place of the taskserv in the definition that is made for it, and of its configuration there. */
const ENTRY = /^taskservs\[0\](\.config)?\.?/;
