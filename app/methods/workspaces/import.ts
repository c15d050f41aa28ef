import * as z from 'zod';
import { checkRequest } from '../../../core/definition/weight.js';
import { LIMITS } from '../../../core/limits.js';
import { method } from '../../method.js';
import { workspaceInput, workspaceResource } from '../../schemas/workspace.js';
import { importWorkspace } from '../../workspaces/transfer/import-workspace.js';
import { partHash, workspaceData, workspaceSummary } from '../../workspaces/transfer/transfer-schemas.js';

const KiB = 1024;

export const importTheWorkspace = method({
  name: 'workspaces.import',
  summary: 'Take over an exported workspace as a whole. Repeated, it continues an import that was cut, or changes nothing',
  input: z.strictObject({
    ...workspaceInput,
    data: workspaceData.optional().describe('Content that `workspaces.export` returned'),
    upload: partHash.optional().describe('Instead of `data`: the upload of all parts, as `workspaces.upload` returned it'),
    check: z.literal(true).optional().describe('Only return what it contains and which names exist here already'),
    takeOver: z
      .literal(true)
      .optional()
      .describe('Also if the workspace is not frozen on the platform that it comes from: it must not change the servers any more'),
    undo: z
      .literal(true)
      .optional()
      .describe(
        'Remove what the import of this export made, if no operation was submitted and nothing has changed in the workspace since',
      ),
  }),
  output: z.strictObject({
    summary: workspaceSummary,
    collisions: z.array(z.string()).describe('Names that exist here already'),
    outcome: z.enum(['checked', 'imported', 'unchanged', 'undone']),
  }),
  permission: { action: 'workspace:import', resource: workspaceResource },
  weigh: (input) => checkRequest(input, 'take the request', 'workspaces.import', LIMITS.workspace + KiB),
  errors: [
    ...[
      'bad-export',
      'bad-record',
      'blob-missing',
      'import-unfinished',
      'infra-lives',
      'store-failed',
      'store-newer',
      'store-unreachable',
    ],
    ...['unknown-transfer', 'upload-unfinished', 'workspace-exists', 'workspace-in-use', 'workspace-name', 'workspace-not-frozen'],
  ],
  repeatable: true,
  run: ({ engine, principal: { actor } }, { check = false, takeOver = false, undo = false, ...asked }) =>
    importWorkspace(engine, { ...asked, check, takeOver, undo, actor }),
});
