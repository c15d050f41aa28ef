import * as z from 'zod';
import { method } from '../../method.js';
import { workspaceInput, workspaceResource } from '../../schemas/workspace.js';
import { exportWorkspace } from '../../workspaces/transfer/export-workspace.js';
import { partHash, workspaceData, workspaceParts, workspaceSummary } from '../../workspaces/transfer/transfer-schemas.js';

export const exportTheWorkspace = method({
  name: 'workspaces.export',
  summary: 'Return all of a workspace with its secrets, and freeze it, so that another platform can take over its servers',
  input: z.strictObject({
    ...workspaceInput,
    check: z.literal(true).optional().describe('Only return what it contains, and change nothing'),
    keep: z.literal(true).optional().describe('Do not freeze the workspace'),
    parts: z
      .literal(true)
      .optional()
      .describe('Keep the content for a day, in parts for `workspaces.part`, instead of returning it'),
  }),
  output: z.strictObject({
    summary: workspaceSummary,
    download: z
      .strictObject({ id: partHash, parts: workspaceParts })
      .optional()
      .describe('Only with `parts`: the parts of the content, JSON Lines in gzip'),
    data: workspaceData.optional().describe('Absent with `check` and `parts`. Content with all secrets: gzip, in base64'),
  }),
  permission: { action: 'workspace:export', resource: workspaceResource },
  errors: [
    'store-failed',
    'store-newer',
    'store-unreachable',
    'too-large',
    'too-many-transfers',
    'unknown-transfer',
    'unknown-workspace',
    'workspace-busy',
  ],
  run: ({ engine, principal: { actor } }, { workspace, check = false, keep = false, parts = false }) =>
    exportWorkspace(engine, { workspace, check, keep, actor, inParts: parts }),
});
