import * as z from 'zod';
import { checkRequest } from '../../../core/definition/weight.js';
import { LIMITS } from '../../../core/limits.js';
import { method } from '../../method.js';
import { workspaceInput, workspaceResource } from '../../schemas/workspace.js';
import { takeParts } from '../../workspaces/transfer/parts/keep-parts.js';
import { partData, partHash, workspaceParts } from '../../workspaces/transfer/transfer-schemas.js';

export const uploadWorkspace = method({
  name: 'workspaces.upload',
  summary:
    'Store parts of an exported workspace for `workspaces.import`, each once. Returns the upload and the parts that are missing',
  input: z.strictObject({
    ...workspaceInput,
    parts: workspaceParts.min(1).describe('All parts of the content, in order'),
    data: z.record(partHash, partData).optional().describe('Missing parts in base64, by hash'),
  }),
  output: z.strictObject({ upload: partHash, missing: z.array(partHash) }),
  permission: { action: 'workspace:import', resource: workspaceResource },
  // A part is one long text, and no server gets it.
  weigh: (input) => checkRequest(input, 'take the request', 'workspaces.upload', LIMITS.request + 1),
  errors: ['bad-export', 'store-failed', 'store-newer', 'store-unreachable', 'too-large', 'too-many-transfers', 'unknown-transfer'],
  repeatable: true,
  run: ({ engine, principal: { actor } }, { workspace, parts, data = {} }) =>
    takeParts(engine, { workspace, by: actor, parts }, data),
});
