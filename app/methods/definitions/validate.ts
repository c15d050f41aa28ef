import * as z from 'zod';
import { checkFiles } from '../../definition/check-files.js';
import { method } from '../../method.js';
import { bundlePath } from '../../schemas/bundle.js';
import { catalogResource } from '../../schemas/catalog.js';
import { workspace } from '../../schemas/ids.js';
import { problem } from '../../schemas/problem.js';

const text = z.string();

export const validateDefinition = method({
  name: 'definitions.validate',
  summary:
    'Check the files of a definition, and return every problem with its place. Only the given files are read: programs are not evaluated, and secrets count as set',
  input: z.strictObject({
    workspace,
    main: bundlePath.describe('Path of the main file (.yaml, .yml, .json, .toml)'),
    files: z.record(bundlePath, text).describe('Texts of the files, by path in the workspace folder'),
    environment: text.min(1).max(255).optional().describe('Environment whose overlay and values apply'),
    variables: z.record(text.min(1).max(255), text).optional().describe('Values of variables; lists and maps as JSON'),
  }),
  output: z.strictObject({
    valid: z.boolean(),
    infra: text.optional().describe('Absent if the definition is not valid'),
    servers: z.int().optional().describe('Number of servers; absent if the definition is not valid'),
    taskservs: z.int().optional().describe('Number of taskservs on all servers; absent if the definition is not valid'),
    problems: z.array(problem),
    warnings: z.array(problem).describe('Violations of rules with severity `warning`, and deprecated syntax'),
    excepted: z.array(problem).describe('Violations of rules that the definition excepts'),
  }),
  permission: { action: 'catalog:read', resource: catalogResource },
  errors: ['bad-bundle'],
  async run(_, { workspace, ...sent }) {
    const { definition, ...found } = await checkFiles(workspace, sent);
    return {
      valid: definition !== undefined,
      ...(definition && {
        infra: definition.infra,
        servers: definition.servers.length,
        taskservs: definition.servers.reduce((sum, server) => sum + server.taskservs.length, 0),
      }),
      ...found,
    };
  },
});
