import * as z from 'zod';
import { method } from '../../method.js';
import { workspaceInput, workspaceResource } from '../../schemas/workspace.js';
import { readExportPart } from '../../workspaces/transfer/parts/keep-parts.js';
import { partData, partHash } from '../../workspaces/transfer/transfer-schemas.js';

export const partOfWorkspace = method({
  name: 'workspaces.part',
  summary: 'Return a part of an exported workspace, with its secrets',
  input: z.strictObject({
    ...workspaceInput,
    download: partHash.describe('Id of the download from `workspaces.export`'),
    part: partHash,
  }),
  output: z.strictObject({ data: partData.describe('Bytes in base64') }),
  permission: { action: 'workspace:export', resource: workspaceResource },
  errors: ['bad-export', 'blob-missing', 'store-failed', 'store-newer', 'store-unreachable', 'unknown-transfer'],
  run: async ({ engine }, asked) => ({ data: await readExportPart(engine, asked) }),
});
